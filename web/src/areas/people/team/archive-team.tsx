/** Archives a team for good, unless paths ask it: then it shows them. */
import { Link } from '@tanstack/react-router';
import { ChangeEffect } from '../../../shared/access/change-effect.tsx';
import { ConfirmByName } from '../../../shared/design/dialogs/confirm-by-name.tsx';
import { StillInUse } from '../../../shared/design/dialogs/still-in-use.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { team as text } from '../teams/text.ts';
import { teamUsesOf, useArchiveTeam, type TeamUses } from './team-data.ts';
import classes from '../people.module.css';

interface ArchiveTeamProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

export function ArchiveTeam({ id, name, onClose }: ArchiveTeamProps) {
  const archive = useArchiveTeam(id);
  const uses = teamUsesOf(archive.error);
  const title = text.archiveTitle(name);
  if (uses) return <InUse title={title} uses={uses} onClose={onClose} />;
  return (
    <ConfirmByName
      title={title}
      name={name}
      doing={archive}
      label={text.archiveConfirm}
      busy={text.archiving}
      onConfirm={() => {
        archive.mutate(undefined, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <p>{text.archiveEnds}</p>
      <p>{text.isFinal}</p>
      <ChangeEffect change={{ change: 'archive_team', team_id: id }} />
    </ConfirmByName>
  );
}

interface InUseProps {
  readonly title: string;
  readonly uses: TeamUses;
  readonly onClose: () => void;
}

function InUse({ title, uses, onClose }: InUseProps) {
  const { escalation_paths: paths, request_count: count, request_ids: requests } = uses;
  return (
    <StillInUse title={title} told={text.inUse} onClose={onClose}>
      <ul className={classes['list']}>
        {paths.map(({ path_key: pathKey, name }) => (
          <li key={pathKey}>
            {text.path}{' '}
            <Link to="/paths/$pathKey" params={{ pathKey }}>
              <ForeignText text={name} isName />
            </Link>
          </li>
        ))}
      </ul>
      {count > 0 && (
        <>
          <p>{text.waiting(count)}</p>
          <ul className={classes['list']}>
            {requests.map((each) => (
              <li key={each}>
                <Link to="/requests/$id" params={{ id: each }}>
                  {text.request} <code>{each}</code>
                </Link>
              </li>
            ))}
            {count > requests.length && <li>{text.waitingMore(count - requests.length)}</li>}
          </ul>
        </>
      )}
    </StillInUse>
  );
}

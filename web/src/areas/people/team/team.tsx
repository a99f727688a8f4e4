/** One team: who is in it, what it gives, and how paths ask it. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { PolicyList } from '../../../shared/access/policy-list.tsx';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import note from '../../../shared/design/note.module.css';
import { Panel } from '../../../shared/design/panel.tsx';
import { Failed, Loading, MissingPermission } from '../../../shared/page/states.tsx';
import { mayAtTeam } from '../../../shared/session/may-at-team.ts';
import { accountQuery, hasPermission, type Account } from '../../../shared/session/session.ts';
import { teamPageQuery, type Team as TeamFacts, type TeamMember } from '../people-data.ts';
import { Subject } from '../subject.tsx';
import { TeamName } from '../teams/team-name.tsx';
import { teams as listText, team as text } from '../teams/text.ts';
import { ArchiveTeam } from './archive-team.tsx';
import { Roster } from './roster.tsx';
import { useRenameTeam } from './team-data.ts';

const READ = 'team.read';

export function Team() {
  const { teamId } = useParams({ from: '/signed-in/people/teams/$teamId' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, READ);
  const page = useQuery({ ...teamPageQuery(teamId), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission={READ} />;
  if (page.isPending) return <Loading />;
  if (!page.data) return <Failed error={page.error} reset={() => void page.refetch()} />;
  return <Shown key={teamId} {...page.data} account={account} />;
}

interface ShownProps {
  readonly team: TeamFacts;
  readonly members: readonly TeamMember[];
  readonly account: Account;
}

function Shown({ team, members, account }: ShownProps) {
  const isArchived = team.archived_at !== null;
  const { directory_managed: isManaged, id } = team;
  const mayWrite = mayAtTeam(account, 'team.write', id);
  return (
    <Subject
      name={team.name}
      back={<Link to="/teams">{listText.title}</Link>}
      facts={
        <>
          {text.members(team.member_count)}
          {isManaged && <Badge>{listText.managed}</Badge>}
          {isArchived && <Badge>{text.archivedMark}</Badge>}
        </>
      }
      actions={mayWrite && !isArchived && !isManaged && <Actions team={team} />}
    >
      {isArchived && <p className={note['warning']}>{text.archived}</p>}
      {isManaged && !isArchived && <p className={note['note']}>{text.managed}</p>}
      <Roster
        teamId={id}
        members={members}
        mayChange={!isArchived && mayAtTeam(account, 'team.member.write', id)}
        mayFind={hasPermission(account, 'membership.read')}
      />
      <PolicyList holder={{ kind: 'team', id, name: team.name }} />
      <Policy team={team} />
    </Subject>
  );
}

function Actions({ team: { id, name } }: { readonly team: TeamFacts }) {
  const [open, setOpen] = useState<'rename' | 'archive'>();
  const rename = useRenameTeam(id);
  const close = () => {
    rename.reset();
    setOpen(undefined);
  };
  return (
    <>
      <Button
        isSecondary
        onClick={() => {
          setOpen('rename');
        }}
      >
        {text.rename}
      </Button>
      <Button
        isSecondary
        onClick={() => {
          setOpen('archive');
        }}
      >
        {text.archive}
      </Button>
      {open === 'rename' && (
        <TeamName
          title={text.renameTitle}
          label={text.newName}
          name={name}
          submit={text.rename}
          busy={text.renaming}
          doing={rename}
          onSubmit={(next) => {
            rename.mutate(next, { onSuccess: close });
          }}
          onClose={close}
        />
      )}
      {open === 'archive' && <ArchiveTeam id={id} name={name} onClose={close} />}
    </>
  );
}

function Policy({ team: { id, escalation_policy: policy } }: { readonly team: TeamFacts }) {
  const { active_revision: revision } = policy;
  return (
    <Panel title={text.policyTitle} hint={text.policyHint}>
      <p>{revision === null ? text.policyOff : text.policyOn(revision)}</p>
      <Link to="/teams/$teamId/policy" params={{ teamId: id }}>
        {text.openPolicy}
      </Link>
    </Panel>
  );
}

/** The editor of a team's policy. Without one, a path asks all members at once. */
import { StopPolicy } from './stop-policy.tsx';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { useDocument } from '../../../shared/editor/use-document.ts';
import { hasPermission, type Account } from '../../../shared/session/session.ts';
import { EscalationEditor } from '../escalation-editor.tsx';
import type { Missing } from '../../../shared/editor/use-revisions.ts';
import type { Team } from '../targets-data.ts';
import { policyBase, policyRevisions, type ReadPolicy } from './policy-data.ts';
import { policy as text } from './text.ts';

interface PolicyEditorProps {
  readonly team: Team;
  readonly active: ReadPolicy | undefined;
  readonly newest: ReadPolicy | undefined;
  readonly account: Account;
}

const NONE = '{\n  "nodes": []\n}';

export function PolicyEditor({ team, active, newest, account }: PolicyEditorProps) {
  const missing = missingOf(account, team);
  const base = active ? policyBase(active) : { revision: 0, text: NONE };
  const name = { owner: account.principal.actor_id, name: `policy:${team.id}` };
  const isWaiting = !active && newest !== undefined && missing.save === undefined;
  const document = useDocument(name, base, isWaiting ? policyBase(newest) : undefined);
  return (
    <EscalationEditor
      {...{ document, base, missing }}
      by={active?.revision.activated_by?.display_name}
      revisions={policyRevisions(team.id)}
      title={() => text.title(team.name)}
      head={<Head {...{ team, active, newest }} mayStop={missing.activate === undefined} />}
      teamId={team.id}
    />
  );
}

function missingOf(account: Account, team: Team): Missing {
  const missing = (permission: string) =>
    hasPermission(account, permission) && team.archived_at === null ? undefined : permission;
  return {
    save: missing('team.escalation.write'),
    activate: missing('team.escalation.activate'),
    isArchived: team.archived_at !== null,
  };
}

type HeadProps = Omit<PolicyEditorProps, 'account'> & { readonly mayStop: boolean };

function Head({ team, active, newest, mayStop }: HeadProps) {
  const [isStopping, setStopping] = useState(false);
  const latest = newest?.revision.revision;
  return (
    <>
      <Link to="/paths" activeOptions={{ exact: true }}>
        {text.back}
      </Link>{' '}
      · {active ? text.active(active.revision.revision) : text.none}
      {latest !== undefined && latest !== active?.revision.revision && ` · ${text.unsaved(latest)}`}
      {team.archived_at !== null && ` · ${text.archived}`}
      {active && mayStop && (
        <>
          {' · '}
          <LinkButton
            onClick={() => {
              setStopping(true);
            }}
          >
            {text.stop}
          </LinkButton>
        </>
      )}
      <br />
      {text.hint}
      {isStopping && active && (
        <StopPolicy
          teamId={team.id}
          over={active.revision.revision}
          onClose={() => {
            setStopping(false);
          }}
        />
      )}
    </>
  );
}

/** The permission policies of a member, a team or an organization key, as sentences. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { LinkButton } from '../design/buttons/link-button.tsx';
import note from '../design/note.module.css';
import { Panel } from '../design/panel.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import { Loading, PartFailed } from '../page/states.tsx';
import { policiesQuery, type Policy, type PolicyHolder, type PolicyPage } from './access-data.ts';
import classes from './access.module.css';
import { MayRead } from './effective-rights.tsx';
import { PolicyEditor } from './policy-editor.tsx';
import { EachPermission, PolicySentence } from './policy-sentence.tsx';
import { access as text } from './text.ts';
import { RevokePolicy } from './revoke-policy.tsx';

export function PolicyList({ holder }: { readonly holder: PolicyHolder }) {
  return (
    <Panel title={text.policies} hint={text.hints[holder.kind]}>
      <MayRead>
        <Policies holder={holder} />
      </MayRead>
    </Panel>
  );
}

function Policies({ holder }: { readonly holder: PolicyHolder }) {
  const page = useQuery(policiesQuery(holder));
  const [opened, setOpened] = useState<Opened>();
  if (page.isPending) return <Loading />;
  if (page.isError) return <PartFailed part={page} />;
  const { policies, can_create: canCreate, read_only_reason: reason } = page.data;
  const close = () => {
    setOpened(undefined);
  };
  return (
    <>
      {policies.length === 0 && <p>{text.none[holder.kind]}</p>}
      <ul className={classes['list']}>
        {policies.map((policy) => (
          <li key={policy.id}>
            <ListedPolicy {...{ policy, page: page.data, onOpen: setOpened }} />
          </li>
        ))}
      </ul>
      {canCreate ? (
        <div className={classes['buttons']}>
          <Button
            onClick={() => {
              setOpened({ what: 'editor' });
            }}
          >
            {text.add}
          </Button>
        </div>
      ) : (
        <p className={note['note']}>{text.readOnly[reason ?? ''] ?? reason}</p>
      )}
      {opened?.what === 'editor' && (
        <PolicyEditor
          holder={holder}
          page={page.data}
          {...(opened.policy && { policy: opened.policy })}
          onClose={close}
        />
      )}
      {opened?.what === 'revoke' && (
        <RevokePolicy holder={holder} policy={opened.policy} onClose={close} />
      )}
    </>
  );
}

/** The dialog that is open. */
type Opened =
  | { readonly what: 'editor'; readonly policy?: Policy }
  | { readonly what: 'revoke'; readonly policy: Policy };

interface ListedPolicyProps {
  readonly policy: Policy;
  readonly page: PolicyPage;
  readonly onOpen: (opened: Opened) => void;
}

function ListedPolicy({ policy, page, onOpen }: ListedPolicyProps) {
  const { via_team_name: team, source, resources, permissions } = policy;
  const dangerous = new Set(page.permissions.flatMap((each) => (each.dangerous ? each.key : [])));
  return (
    <>
      <p>
        <PolicySentence terms={policy} resources={resources} />
        {team !== undefined && (
          <span className={classes['source']}>
            {' '}
            — {text.through} <ForeignText text={team} isName />
          </span>
        )}
        {source === 'directory' && <span className={classes['source']}> — {text.directory}</span>}
      </p>
      <EachPermission permissions={permissions} dangerous={dangerous} />
      {policy.can_edit ? (
        <div className={classes['acts']}>
          <LinkButton
            onClick={() => {
              onOpen({ what: 'editor', policy });
            }}
          >
            {text.change}
          </LinkButton>
          <LinkButton
            onClick={() => {
              onOpen({ what: 'revoke', policy });
            }}
          >
            {text.revoke}
          </LinkButton>
        </div>
      ) : (
        <ReadOnly policy={policy} page={page} />
      )}
    </>
  );
}

/** Where it goes without saying, or stands below the list for all of them, it is not repeated. */
function ReadOnly({ policy, page }: Pick<ListedPolicyProps, 'policy' | 'page'>) {
  const { read_only_reason: reason = '', source } = policy;
  if (reason === 'inherited' || source === 'directory' || reason === page.read_only_reason)
    return null;
  return <p className={classes['source']}>{text.readOnly[reason] ?? reason}</p>;
}

/** What a member may do in the end, and where each right comes from. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import note from '../design/note.module.css';
import { Panel } from '../design/panel.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import { Loading, PartFailed } from '../page/states.tsx';
import { accountQuery } from '../session/session.ts';
import { permissionText } from '../text/permissions.ts';
import { session } from '../text/session.ts';
import { memberAccessQuery, type EffectiveAccess } from './access-data.ts';
import classes from './access.module.css';
import { mayReadAccess } from './granting.ts';
import { EachPermission, PolicySentence } from './policy-sentence.tsx';
import { access as text } from './text.ts';

type Right = EffectiveAccess['rights'][number];

export function EffectiveRights({ member }: { readonly member: { readonly id: string } }) {
  return (
    <Panel title={text.rights} hint={text.rightsHint}>
      <MayRead>
        <Rights id={member.id} />
      </MayRead>
    </Panel>
  );
}

/** Access is shown to those who may read or change it. */
export function MayRead({ children }: { readonly children: ReactNode }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (mayReadAccess(account)) return children;
  return (
    <p className={note['note']}>
      {text.hidden} {session.missingPermission(permissionText('permission_policy.read'))}
    </p>
  );
}

function Rights({ id }: { readonly id: string }) {
  const access = useQuery(memberAccessQuery(id));
  if (access.isPending) return <Loading />;
  if (access.isError) return <PartFailed part={access} />;
  const { rights, resources, active } = access.data;
  return (
    <>
      {!active && <p className={note['warning']}>{text.notActive}</p>}
      {rights.length === 0 && <p>{text.noRights}</p>}
      <ul className={classes['list']}>
        {rights.map((right, index) => (
          <li key={index}>
            <p>
              <PolicySentence terms={right} resources={resources} />
              {!right.is_owner && (
                <>
                  {' '}
                  — <Sources right={right} />
                </>
              )}
            </p>
            <EachPermission permissions={right.permissions} dangerous={NONE} />
          </li>
        ))}
      </ul>
    </>
  );
}

const NONE: ReadonlySet<string> = new Set();

function Sources({ right: { sources } }: { readonly right: Right }) {
  const isOwn = sources.some(({ team_id: team }) => team === undefined);
  const teams = new Map(
    sources.flatMap(({ team_id: id, team_name: name }) =>
      id === undefined ? [] : [[id, name ?? id] as const],
    ),
  );
  const parts = [
    ...(isOwn ? [<span key="own">{text.ownPolicy}</span>] : []),
    ...[...teams].map(([id, name]) => (
      <span key={id}>
        {text.through} <ForeignText text={name} isName />
      </span>
    )),
  ];
  return (
    <span className={classes['source']}>
      {parts.map((part, index) => [index > 0 && text.and, part])}
    </span>
  );
}

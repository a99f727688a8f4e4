/**
 * What a change of access would do, before it is saved: who gains and loses what, and who can decide for each agent
 * afterwards.
 */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { parseExact } from '../../../../src/platform/json/exact-json.ts';
import { useSettled } from '../browser/settled.ts';
import note from '../design/note.module.css';
import { ForeignText } from '../exact/foreign-text.tsx';
import { PartFailed } from '../page/states.tsx';
import { accountQuery } from '../session/session.ts';
import { effectQuery, type AccessChange, type AccessEffect, type Terms } from './access-data.ts';
import classes from './access.module.css';
import { mayReadAccess } from './granting.ts';
import { PolicySentence } from './policy-sentence.tsx';
import { effect as text } from './text.ts';

const PAUSE_MS = 300;

/** Read again with each change of `change`. People who may not see permissions see nothing of it. */
export function ChangeEffect({ change }: { readonly change: AccessChange }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  return mayReadAccess(account) ? <ReadEffect change={change} /> : null;
}

function ReadEffect({ change }: { readonly change: AccessChange }) {
  const settled = useSettled(JSON.stringify(change), PAUSE_MS);
  const effect = useQuery(effectQuery(parseExact(settled) as unknown as AccessChange));
  const isOld = effect.isPlaceholderData || settled !== JSON.stringify(change);
  return (
    <section className={classes['effect']} aria-label={text.title} aria-busy={isOld}>
      <h3>{text.title}</h3>
      <div role="status" aria-live="polite" data-old={isOld || undefined}>
        {effect.isPending && <p>{text.reading}</p>}
        {effect.isError && <PartFailed part={effect} />}
        {effect.data && !effect.isError && <Effect effect={effect.data} />}
      </div>
    </section>
  );
}

function Effect({ effect }: { readonly effect: AccessEffect }) {
  const { holders, agents, resources } = effect;
  const more = effect.holder_count - holders.length;
  if (holders.length === 0) return <p>{text.nothing}</p>;
  return (
    <>
      <Warning kind="problem" agents={agents.filter((each) => each.deciders_after === 0)}>
        {text.noOne}
      </Warning>
      <Warning kind="warning" agents={agents.filter(isLeftToOwners)}>
        {text.ownersOnly}
      </Warning>
      <ul className={classes['effects']}>
        {holders.map(({ id, name, gains, losses, keeps }) => (
          <li key={id}>
            <strong>
              <ForeignText text={name} isName />
            </strong>
            <Part label={text.loses} terms={losses} resources={resources} />
            <Part label={text.keeps} terms={keeps} resources={resources} />
            <Part label={text.gains} terms={gains} resources={resources} />
          </li>
        ))}
        {more > 0 && <li>{text.moreHolders(more)}</li>}
      </ul>
      {agents.length > 0 && <Agents effect={effect} />}
    </>
  );
}

type Agent = AccessEffect['agents'][number];

const isLeftToOwners = ({ deciders_after: after, owners_after: owners }: Agent): boolean =>
  after > 0 && after === owners;

function Warning({
  kind,
  agents,
  children,
}: {
  readonly kind: 'problem' | 'warning';
  readonly agents: readonly Agent[];
  readonly children: ReactNode;
}) {
  if (agents.length === 0) return null;
  return (
    <p className={note[kind]}>
      {children}{' '}
      {agents.map(({ agent_slug: slug, agent_name: name }, index) => (
        <span key={slug}>
          {index > 0 && ', '}
          <ForeignText text={name} isName />
        </span>
      ))}
    </p>
  );
}

interface PartProps {
  readonly label: string;
  readonly terms: readonly Terms[];
  readonly resources: AccessEffect['resources'];
}

function Part({ label, terms, resources }: PartProps) {
  return terms.map((each, index) => (
    <p key={index}>
      <span className={classes['source']}>{label}</span>{' '}
      <PolicySentence terms={each} resources={resources} />
    </p>
  ));
}

function Agents({ effect }: { readonly effect: AccessEffect }) {
  const { agents, agent_count: count } = effect;
  return (
    <>
      <h4>{text.whoDecides}</h4>
      <ul className={classes['effects']}>
        {agents.map((agent) => (
          <li key={agent.agent_slug}>
            <p>
              <strong>
                <ForeignText text={agent.agent_name} isName />
              </strong>
              : {text.count(agent.deciders_after)} ({text.before(agent.deciders_before)})
            </p>
            <Deciders agent={agent} />
          </li>
        ))}
        {count > agents.length && <li>{text.moreAgents(count - agents.length)}</li>}
      </ul>
    </>
  );
}

function Deciders({ agent: { deciders, deciders_after: count } }: { readonly agent: Agent }) {
  if (deciders.length === 0) return null;
  return (
    <p className={classes['source']}>
      {deciders.map(({ membership_id: id, display_name: name, is_owner: isOwner }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <ForeignText text={name} isName />
          {isOwner && ` (${text.owner})`}
        </span>
      ))}
      {count > deciders.length && ` ${text.moreHolders(count - deciders.length)}`}
    </p>
  );
}

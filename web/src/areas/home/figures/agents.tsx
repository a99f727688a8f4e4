/** Agents that soon need someone: their credentials end, or they no longer call. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Instant } from '../../../shared/design/instant.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Overview } from '../home-data.ts';
import { home as text } from '../text.ts';
import { EndingKeys, MoreKeys } from './ending-keys.tsx';
import classes from './figures.module.css';

type EndingProps = Pick<Overview, 'ending' | 'ending_keys'>;

/** What ends first stands first, within agents and within keys. */
export function Ending({ ending, ending_keys: keys }: EndingProps) {
  if (ending.count + keys.count === 0) return <None title={text.ending}>{text.noneEnding}</None>;
  return (
    <Panel title={text.ending} hint={text.endingHint}>
      <ul className={classes['rows']}>
        {ending.agents.map(({ slug, name, ends_at: end, ...counts }) => (
          <li key={slug} className={classes['row']}>
            <Link to="/agents/$slug/instances" params={{ slug }}>
              <ForeignText text={name} isName />
            </Link>
            <span className={classes['soft']}>
              {[
                counts.instance_count > 0 && text.instances(counts.instance_count),
                counts.provisioner_count > 0 && text.provisioners(counts.provisioner_count),
              ]
                .filter((part) => part !== false)
                .join(', ')}{' '}
              · {text.ends} <Instant at={end} as="in" focusable={false} />
            </span>
          </li>
        ))}
        <EndingKeys keys={keys.keys} />
      </ul>
      <More count={ending.count - ending.agents.length} />
      <MoreKeys count={keys.count - keys.keys.length} />
    </Panel>
  );
}

export function Silent({ silent: { count, agents } }: { readonly silent: Overview['silent'] }) {
  if (count === 0) return <None title={text.silent}>{text.noneSilent}</None>;
  return (
    <Panel title={text.silent} hint={text.silentHint}>
      <ul className={classes['rows']}>
        {agents.map(({ slug, name, last_seen_at: seen }) => (
          <li key={slug} className={classes['row']}>
            <Link to="/agents/$slug" params={{ slug }}>
              <ForeignText text={name} isName />
            </Link>
            <span className={classes['soft']}>
              {text.lastCall} <Instant at={seen} as="ago" focusable={false} />
            </span>
          </li>
        ))}
      </ul>
      <More count={count - agents.length} />
    </Panel>
  );
}

function None({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Panel title={title}>
      <p>{children}</p>
    </Panel>
  );
}

function More({ count }: { readonly count: number }) {
  if (count <= 0) return null;
  return (
    <p>
      {text.more(count)} · <Link to="/agents">{text.toAgents}</Link>
    </p>
  );
}

/** The agents of the organization: first those that need someone. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { AgentLink } from '../../../shared/page/agent-links.tsx';
import { Empty, NoMatch } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { Page } from '../../../shared/page/page.tsx';
import type { ListSearch } from '../../../shared/routes/list-search.ts';
import { accountQuery, hasPermissionFor, mayRunDemo } from '../../../shared/session/session.ts';
import { EndOf } from '../agent/end-of.tsx';
import { Trend } from '../agent/trend.tsx';
import { agentListQuery, type ListedAgent } from '../agents-data.ts';
import { byTrouble, worryOf } from '../states.ts';
import { agents as text } from '../text.ts';
import { AgentMark } from './agent-mark.tsx';
import { CreateAgent } from './create-agent.tsx';
import { Picture } from './picture.tsx';
import classes from './agents.module.css';

export function Agents() {
  const search = useSearch({ from: '/signed-in/agents' });
  const navigate = useNavigate({ from: '/agents' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const list = useInfiniteQuery(agentListQuery(search));
  const [isCreating, setCreating] = useState(false);
  const canCreate = hasPermissionFor(account, 'agent.write', undefined);
  const create = canCreate && (
    <Button
      onClick={() => {
        setCreating(true);
      }}
    >
      {text.create}
    </Button>
  );
  const change = (wanted: AgentsSearch) => void navigate({ search: wanted, replace: true });
  return (
    <Page title={text.title} hint={text.hint} actions={create}>
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="live"
        search={search}
        onChange={change}
      />
      <PagedList
        list={list}
        rowsOf={(page) => page.agents}
        none={<NoAgent {...{ search, change }} />}
      >
        {(agents) => <Rows agents={agents} isWhole={!list.hasNextPage} />}
      </PagedList>
      {isCreating && (
        <CreateAgent
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </Page>
  );
}

type AgentsSearch = ListSearch<'archived'>;

interface NoAgentProps {
  readonly search: AgentsSearch;
  readonly change: (search: AgentsSearch) => void;
}

function NoAgent({ search: { q, show }, change }: NoAgentProps) {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (q !== undefined || show !== undefined)
    return (
      <NoMatch
        title={text.noMatch}
        onClear={() => {
          change({});
        }}
      />
    );
  return (
    <Empty title={text.none}>
      <Picture />
      <p>{text.noneHint}</p>
      {mayRunDemo(account) && <Link to="/demo">{text.tryDemo}</Link>}
    </Empty>
  );
}

interface RowsProps {
  readonly agents: readonly ListedAgent[];
  /** The list has no further page. */
  readonly isWhole: boolean;
}

function Rows({ agents, isWhole }: RowsProps) {
  const now = useNowSeconds() * 1_000;
  return (
    <Panel title={text.all} hint={isWhole ? undefined : text.orderOf(agents.length)}>
      <ul className={classes['agents']}>
        {byTrouble(agents, now).map((agent) => (
          <Row key={agent.slug} agent={agent} now={now} />
        ))}
      </ul>
    </Panel>
  );
}

function Row({ agent, now }: { readonly agent: ListedAgent; readonly now: number }) {
  const { slug, name, last_seen_at: seen, access_ends_at: end } = agent;
  const waiting = agent.pending_request_count;
  return (
    <li className={classes['agent']}>
      <div className={classes['name']}>
        <strong>
          <AgentLink slug={slug} name={name} />
        </strong>
        <code>{slug}</code>
      </div>
      <div className={classes['state']}>
        <AgentMark agent={agent} />
        {end !== undefined && !agent.demo && worryOf(end, now) !== 'none' && (
          <EndOf at={end} label={text.ends} focusable={false} />
        )}
      </div>
      <div className={classes['facts']}>
        <span>{text.live(agent.live_instance_count, agent.instance_count)}</span>
        <span>
          {seen === undefined ? text.neverSeen : text.seen}{' '}
          {seen !== undefined && <Instant at={seen} as="ago" focusable={false} />}
        </span>
      </div>
      <Trend days={agent.request_trend} />
      <div className={classes['waiting']}>
        {waiting === 0 ? (
          text.waiting(0)
        ) : (
          <Link to="/" search={{ tab: 'all', agent: slug }}>
            {text.waiting(waiting)}
          </Link>
        )}
      </div>
    </li>
  );
}

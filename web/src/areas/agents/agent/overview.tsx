/** What an agent does, at a glance, and the tokens of its fleets. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { parseDuration } from '../../../../../src/domain/durations.ts';
import { Select } from '../../../shared/design/fields/select.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { Toggle } from '../../../shared/design/toggle.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { durationText } from '../../../shared/text/times.ts';
import { agentQuery, type AgentDetail } from '../agents-data.ts';
import { agents as listText, agent as text } from '../text.ts';
import { useChangeAgent } from './changes.ts';
import { EndOf } from './end-of.tsx';
import { useMay } from './may.ts';
import { Provisioners } from './provisioners.tsx';
import { Trend } from './trend.tsx';

export function Overview() {
  const { slug } = useParams({ from: '/signed-in/agents/$slug' });
  const { data: agent } = useSuspenseQuery(agentQuery(slug));
  return (
    <>
      <Glance agent={agent} />
      <Calls agent={agent} />
      <Provisioners agent={agent} />
    </>
  );
}

const WINDOWS = ['1m', '5m', '15m', '1h', '4h', '8h', '24h'];

/** How an approval becomes a call. */
function Calls({ agent }: { readonly agent: AgentDetail }) {
  const change = useChangeAgent(agent.slug);
  const mayChange = useMay('agent.write');
  const { approval_window: window } = agent;
  const windows = WINDOWS.includes(window) ? WINDOWS : [window, ...WINDOWS];
  return (
    <Panel title={text.calls}>
      <Select
        label={text.window}
        description={text.windowHint}
        options={windows.map((value) => ({
          value,
          label: durationText((parseDuration(value) ?? 0) / 1_000),
        }))}
        value={window}
        isDisabled={!mayChange || agent.status === 'archived' || change.isPending}
        onChange={(approval_window) => {
          change.mutate({ approval_window });
        }}
      />
      <Toggle
        label={text.resumeAgent}
        description={text.resumeHint}
        isOn={agent.resume === 'agent'}
        isDisabled={!mayChange || agent.status === 'archived' || change.isPending}
        onChange={(isOn) => {
          change.mutate({ resume: isOn ? 'agent' : 'instance' });
        }}
      />
      {change.isError && <p role="alert">{change.error.message}</p>}
    </Panel>
  );
}

function Glance({ agent }: { readonly agent: AgentDetail }) {
  const { slug, last_seen_at: seen, access_ends_at: end } = agent;
  const waiting = listText.waiting(agent.pending_request_count);
  return (
    <Panel title={text.facts}>
      <Facts>
        <Fact label={text.live}>
          <Link to="/agents/$slug/instances" params={{ slug }}>
            {listText.live(agent.live_instance_count, agent.instance_count)}
          </Link>
          {end !== undefined && (
            <>
              {' · '}
              <EndOf at={end} label={listText.ends.toLowerCase()} />
            </>
          )}
        </Fact>
        <Fact label={text.lastCall}>
          {seen === undefined ? listText.neverSeen : <Instant at={seen} as="ago" />}
        </Fact>
        <Fact label={text.week}>
          <Trend days={agent.request_trend} />{' '}
          {listText.trend(agent.recent_request_count, agent.request_trend.at(-1) ?? 0)}
        </Fact>
        <Fact label={text.waiting}>
          {agent.pending_request_count === 0 ? (
            waiting
          ) : (
            <Link to="/" search={{ tab: 'all', agent: slug }}>
              {waiting}
            </Link>
          )}
        </Fact>
        <Fact label={text.total}>{agent.request_count}</Fact>
        <Fact label={text.created}>
          <Instant at={agent.created_at} as="clock" /> {text.by}{' '}
          <ForeignText text={agent.created_by_display_name} isName />
        </Fact>
      </Facts>
    </Panel>
  );
}

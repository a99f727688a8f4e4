/** How far the log is sealed and signed, and how to keep a checkpoint of it. */
import { useQuery } from '@tanstack/react-query';
import { MOST_UNSEALED } from '../../../../src/domain/audit/filters.ts';
import { useNowSeconds } from '../../shared/api/clock.ts';
import { Instant } from '../../shared/design/instant.tsx';
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { StateMark } from '../../shared/design/marks/badge.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { PartFailed } from '../../shared/page/states.tsx';
import { chainQuery } from './audit-data.ts';
import { chain as text } from './text.ts';
import classes from './audit.module.css';

/** Sealing takes a second. */
const LATE_SECONDS = 60;

export function ChainState() {
  const state = useQuery(chainQuery);
  const now = useNowSeconds();
  const { data } = state;
  if (!data)
    return (
      <Panel title={text.title} hint={text.hint}>
        {state.isError && <PartFailed part={state} />}
      </Panel>
    );
  const { checkpoint, unsealed_since: since, unsealed_count: count } = data;
  const isLate = since !== undefined && now - Date.parse(since) / 1_000 > LATE_SECONDS;
  return (
    <Panel title={text.title} hint={text.hint}>
      <Facts>
        <Fact label={text.sealed}>{text.upTo(data.position)}</Fact>
        <Fact label={text.waiting}>
          <StateMark tone={isLate ? 'danger' : 'good'}>
            {since === undefined ? text.nothingWaits : text.events(count, count >= MOST_UNSEALED)}
          </StateMark>
          {since !== undefined && (
            <>
              {' '}
              <Instant at={since} as="ago" focusable={false} />
            </>
          )}
          {isLate && <p className={classes['late']}>{text.late}</p>}
        </Fact>
        <Fact label={text.checkpoint}>
          {checkpoint ? (
            <>
              {text.checkpointAt(checkpoint.position)}{' '}
              <Instant at={checkpoint.at} as="ago" focusable={false} />
            </>
          ) : (
            text.noCheckpoint
          )}
        </Fact>
        {data.refused && <Refused {...data.refused} />}
        <Fact label={text.key}>
          {data.signing_key_id === undefined ? text.unsigned : <code>{data.signing_key_id}</code>}
        </Fact>
      </Facts>
      {checkpoint && (
        <>
          <p>{text.keepHint}</p>
          <p className={classes['downloads']}>
            <a href="/api/v1/audit/checkpoints?limit=1" download="kept.json">
              {text.keep}
            </a>
            <a href="/.well-known/countersign-audit-keys" download="audit-keys.json">
              {text.keys}
            </a>
          </p>
        </>
      )}
    </Panel>
  );
}

interface RefusedProps {
  readonly since: string;
  readonly cause: 'log_changed' | 'not_kept';
  readonly reason: string;
}

function Refused({ since, cause, reason }: RefusedProps) {
  return (
    <Fact label={text.signature}>
      <StateMark tone="danger">{text.refused[cause]}</StateMark>{' '}
      <Instant at={since} as="ago" focusable={false} />
      <p className={classes['late']}>
        {text.refusedHint[cause]} <bdi>{reason}</bdi>
      </p>
    </Fact>
  );
}

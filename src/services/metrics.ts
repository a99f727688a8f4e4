/** Counters of the service, served to Prometheus on /metrics. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { CallKind, CallObserver } from './ports.ts';

export interface Metrics {
  readonly registry: Registry;
  /** A gauge as /metrics shows it now, the sum over its labels. */
  readonly figure: (name: string) => Promise<number>;
  readonly requestsCreated: Counter;
  readonly requestsDecided: Counter<'status' | 'channel'>;
  /** Requests past their deadline whose expiry Postgres refuses. */
  readonly requestsNotExpired: Gauge;
  /** Requests that the reconciler had to step itself. Should stay 0 while Temporal is up. */
  readonly reconcilerSteps: Counter;
  readonly reconcilerStarts: Counter;
  /** A due level was taken this late, in milliseconds. */
  readonly levelTaken: (lateMs: number) => void;
  readonly parkedWaits: Gauge;
  readonly notificationAttempts: Counter<'kind' | 'outcome'>;
  readonly channelStateChanges: Counter<'kind' | 'state'>;
  readonly receiverAttempts: Counter<'outcome'>;
  readonly receiverEventsWaiting: Gauge;
  /** Since when the oldest event for a receiver waits. */
  readonly receiverEventsSince: WaitingSince;
  /** Rules that asked other systems. `result`: the outcome, or the code of the error. */
  readonly blockAttempts: Counter<'type' | 'result'>;
  /** Since when the oldest audit event without a place in its chain waits. */
  readonly auditUnsealedSince: WaitingSince;
  /** Chains that this process refuses to sign. Should stay 0. */
  readonly auditSealRefused: Gauge<'cause'>;
  /** Since when the oldest sealed one waits that lists do not find by their index yet. */
  readonly auditUnindexedSince: WaitingSince;
  /** Calls to Temporal: how many wait and how long they waited. */
  readonly temporalCalls: CallObserver;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    figure: figureOf(registry),
    ...requestMetrics(registry),
    reconcilerSteps: new Counter({
      name: 'countersign_reconciler_steps_total',
      help: 'Overdue requests stepped without their workflow.',
      registers,
    }),
    reconcilerStarts: new Counter({
      name: 'countersign_reconciler_starts_total',
      help: 'Workflows the reconciler started or signalled.',
      registers,
    }),
    levelTaken: worstLateness(registry),
    parkedWaits: new Gauge({
      name: 'countersign_parked_waits',
      help: 'Calls that hold their answer for a decision.',
      registers,
    }),
    ...notificationMetrics(registry),
    ...receiverMetrics(registry),
    blockAttempts: new Counter({
      name: 'countersign_block_attempts_total',
      help: 'Attempts of rules to ask other systems, by type of block and outcome or error code.',
      labelNames: ['type', 'result'],
      registers,
    }),
    ...auditMetrics(registry),
    temporalCalls: observeTemporalCalls(registry),
  };
}

const figureOf =
  (registry: Registry): Metrics['figure'] =>
  async (name) => {
    const metric = await registry.getSingleMetric(name)?.get();
    if (!metric) throw new Error(`there is no metric ${name}`);
    return metric.values.reduce((sum, { value }) => sum + value, 0);
  };

function requestMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requestsCreated: new Counter({
      name: 'countersign_requests_created_total',
      help: 'Approval requests accepted.',
      registers,
    }),
    requestsDecided: new Counter({
      name: 'countersign_requests_decided_total',
      help: 'Final answers recorded, by status and channel.',
      labelNames: ['status', 'channel'],
      registers,
    }),
    requestsNotExpired: new Gauge({
      name: 'countersign_requests_not_expired',
      help: 'Requests past their deadline that could not be expired. The log names each.',
      registers,
    }),
  };
}

function auditMetrics(
  registry: Registry,
): Pick<Metrics, 'auditUnsealedSince' | 'auditSealRefused' | 'auditUnindexedSince'> {
  return {
    auditUnsealedSince: waitingSince(registry, {
      name: 'countersign_audit_unsealed_oldest_seconds',
      help: 'How long the oldest audit event waits for its place in the chain.',
    }),
    auditSealRefused: new Gauge({
      name: 'countersign_audit_seal_refused',
      help: 'Audit logs that this process does not sign. `log_changed`: they do not extend what was signed last. `not_kept`: the file that keeps this cannot be read or written.',
      labelNames: ['cause'],
      registers: [registry],
    }),
    auditUnindexedSince: waitingSince(registry, {
      name: 'countersign_audit_unindexed_oldest_seconds',
      help: 'How old the oldest sealed audit event is that is not in the index of lists.',
    }),
  };
}

function notificationMetrics(
  registry: Registry,
): Pick<Metrics, 'notificationAttempts' | 'channelStateChanges'> {
  const registers = [registry];
  return {
    notificationAttempts: new Counter({
      name: 'countersign_notification_attempts_total',
      help: 'Attempts to send a message, by kind of channel and what became of it.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    channelStateChanges: new Counter({
      name: 'countersign_channel_state_changes_total',
      help: 'Channels whose state changed by the result of a message, by kind and new state: working, failing or broken.',
      labelNames: ['kind', 'state'],
      registers,
    }),
  };
}

function receiverMetrics(
  registry: Registry,
): Pick<Metrics, 'receiverAttempts' | 'receiverEventsWaiting' | 'receiverEventsSince'> {
  const registers = [registry];
  return {
    receiverAttempts: new Counter({
      name: 'countersign_receiver_attempts_total',
      help: 'Attempts to tell the receiver of an instance of a decision, by what became of it. `expired`: given up for good.',
      labelNames: ['outcome'],
      registers,
    }),
    receiverEventsWaiting: new Gauge({
      name: 'countersign_receiver_events_waiting',
      help: 'Decisions that receivers of instances have not accepted yet.',
      registers,
    }),
    receiverEventsSince: waitingSince(registry, {
      name: 'countersign_receiver_events_oldest_seconds',
      help: 'How long ago the oldest of these decisions was made.',
    }),
  };
}

const MINUTE_MS = 60_000;
const MINUTES_KEPT = 60;

/** The worst of the last hour, by minutes. */
function worstLateness(registry: Registry): (lateMs: number) => void {
  const worst = new Map<number, number>();
  const minuteNow = () => Math.floor(performance.now() / MINUTE_MS);
  const forget = () => {
    for (const minute of worst.keys())
      if (minute <= minuteNow() - MINUTES_KEPT) worst.delete(minute);
  };
  new Gauge({
    name: 'countersign_levels_late_worst_seconds',
    help: 'How late this process took a due level at worst, in the last hour.',
    registers: [registry],
    collect() {
      forget();
      this.set(Math.max(0, ...worst.values()) / 1_000);
    },
  });
  return (lateMs) => {
    forget();
    worst.set(minuteNow(), Math.max(lateMs, worst.get(minuteNow()) ?? 0));
  };
}

export interface WaitingSince {
  set(since: Date): void;
  clear(): void;
}

function waitingSince(
  registry: Registry,
  described: { readonly name: string; readonly help: string },
): WaitingSince {
  let oldest: Date | undefined;
  new Gauge({
    ...described,
    registers: [registry],
    collect() {
      this.set(oldest ? Math.max(0, Date.now() - oldest.getTime()) / 1_000 : 0);
    },
  });
  return {
    set: (since) => {
      oldest = since;
    },
    clear: () => {
      oldest = undefined;
    },
  };
}

function observeTemporalCalls(registry: Registry): CallObserver {
  const registers = [registry];
  /** In the order in which they came. */
  const waiting = new Map<symbol, { readonly kind: CallKind; readonly since: number }>();
  const secondsSince = (since: number) => (performance.now() - since) / 1_000;
  const depth = new Gauge({
    name: 'countersign_temporal_calls_waiting',
    help: 'Calls to Temporal that wait for their turn, by call.',
    labelNames: ['call'],
    registers,
  });
  new Gauge({
    name: 'countersign_temporal_calls_oldest_seconds',
    help: 'How long the oldest of these calls has waited.',
    registers,
    collect() {
      const [oldest] = waiting.values();
      this.set(oldest ? secondsSince(oldest.since) : 0);
    },
  });
  const waited = new Histogram({
    name: 'countersign_temporal_calls_waited_seconds',
    help: 'How long calls to Temporal waited before they began, by call.',
    labelNames: ['call'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const skipped = new Counter({
    name: 'countersign_temporal_calls_skipped_total',
    help: 'Calls to Temporal that were not made, by call and reason.',
    labelNames: ['call', 'reason'],
    registers,
  });
  return (kind) => {
    const call = Symbol(kind);
    const since = performance.now();
    waiting.set(call, { kind, since });
    depth.inc({ call: kind });
    return (outcome) => {
      waiting.delete(call);
      depth.dec({ call: kind });
      if (outcome === 'begun') waited.observe({ call: kind }, secondsSince(since));
      else skipped.inc({ call: kind, reason: outcome });
    };
  };
}

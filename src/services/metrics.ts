/** Counters of the service, served to Prometheus on /metrics. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { CallKind, CallObserver } from './ports.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly requestsCreated: Counter;
  readonly requestsDecided: Counter<'status' | 'channel'>;
  /** Requests that the reconciler had to step itself. Should stay 0 while Temporal is up. */
  readonly reconcilerSteps: Counter;
  readonly reconcilerStarts: Counter;
  readonly parkedWaits: Gauge;
  readonly notificationAttempts: Counter<'kind' | 'outcome'>;
  /** Rules that asked other systems. `result`: the outcome, or the code of the error. */
  readonly blockAttempts: Counter<'type' | 'result'>;
  /** Calls to Temporal: how many wait and how long they waited. */
  readonly temporalCalls: CallObserver;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
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
    parkedWaits: new Gauge({
      name: 'countersign_parked_waits',
      help: 'Calls that hold their answer for a decision.',
      registers,
    }),
    notificationAttempts: new Counter({
      name: 'countersign_notification_attempts_total',
      help: 'Attempts to send a message, by kind of channel and what became of it.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    blockAttempts: new Counter({
      name: 'countersign_block_attempts_total',
      help: 'Attempts of rules to ask other systems, by type of block and outcome or error code.',
      labelNames: ['type', 'result'],
      registers,
    }),
    temporalCalls: observeTemporalCalls(registry),
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

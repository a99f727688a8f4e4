/** Counters of the service, served to Prometheus on /metrics. */
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  readonly requestsCreated: Counter;
  readonly requestsDecided: Counter<'status' | 'channel'>;
  /** Requests that the reconciler had to step itself. Should stay 0 while Temporal is up. */
  readonly reconcilerSteps: Counter;
  readonly reconcilerStarts: Counter;
  readonly parkedWaits: Gauge;
  readonly notificationAttempts: Counter<'kind' | 'outcome'>;
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
  };
}

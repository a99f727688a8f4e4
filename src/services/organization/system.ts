/**
 * The state of the service, for people who run it. Figures are those of the caller's organization, or of this process
 * and its servers. They say nothing about other organizations.
 */
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { listRefusals, type Refusal } from '../../data/audit/signed-ends.ts';
import { readChainExtent, type ChainExtent } from '../../data/audit/verification.ts';
import { readWaitingWork, type WaitingWork } from '../../data/organization/system.ts';
import type { ServiceContext } from '../context.ts';
import type { TemporalFacts } from '../ports.ts';
import { troublesOfChannels, type TroubledChannel } from '../notifications/channel-states.ts';
import { runProbes, type Check } from '../probes.ts';

/** Counting stops here. */
export const MOST_WAITING = 1_000;

export interface SystemState {
  readonly checks: Readonly<Record<string, Check>>;
  readonly temporal: TemporalFacts;
  readonly work: WaitingWork;
  /** Channels of the organization that do not work for anyone. */
  readonly troubledChannels: readonly TroubledChannel[];
  readonly chain: Pick<ChainExtent, 'unsealed' | 'unsealedSince'>;
  /** Undefined when the chain may be signed. */
  readonly refusal: Refusal | undefined;
  /** How far this process's clock is ahead of the database's, in milliseconds. */
  readonly clockAheadMs: number;
  /** The same figures as on /metrics, of this process. */
  readonly process: {
    readonly worstLevelSeconds: number;
    readonly callsWaiting: number;
    readonly callsOldestSeconds: number;
    readonly receiverEventsWaiting: number;
    readonly receiverEventsOldestSeconds: number;
  };
}

/** A slow read says nothing about the clock. */
function aheadOf(clock: Date, read: { readonly before: number; readonly after: number }): number {
  const at = clock.getTime();
  if (at < read.before) return read.before - at;
  return at > read.after ? read.after - at : 0;
}

export async function readSystem(
  { db, deployment, metrics }: ServiceContext,
  { organizationId }: ProductPrincipal,
): Promise<SystemState> {
  const [checks, temporal] = await Promise.all([
    runProbes(deployment.probes()),
    deployment.temporal(),
  ]);
  const before = Date.now();
  const work = await readWaitingWork(db, organizationId, MOST_WAITING);
  const clockAheadMs = aheadOf(work.now, { before, after: Date.now() });
  const troubledChannels = await troublesOfChannels(db, organizationId);
  const chain = await readChainExtent(db, organizationId, MOST_WAITING);
  const [refusal] = await listRefusals(db, { organizationId, limit: 1 });
  const figure = async (name: string): Promise<number> => await metrics.figure(name);
  return {
    ...{ checks, temporal, work, chain, refusal, clockAheadMs, troubledChannels },
    process: {
      worstLevelSeconds: await figure('countersign_levels_late_worst_seconds'),
      callsWaiting: await figure('countersign_temporal_calls_waiting'),
      callsOldestSeconds: await figure('countersign_temporal_calls_oldest_seconds'),
      receiverEventsWaiting: await figure('countersign_receiver_events_waiting'),
      receiverEventsOldestSeconds: await figure('countersign_receiver_events_oldest_seconds'),
    },
  };
}

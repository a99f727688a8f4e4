/**
 * An operation of a provisioner token, once for each Idempotency-Key. What asks another system does
 * so outside every transaction, under a lease, and is committed after it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 } from 'uuid';
import { findAgentForShare } from '../../data/agents/agents.ts';
import {
  failOperation,
  findOperation,
  keepOperation,
  leaseOperation,
  lockOperation,
  type KeptOperation,
  type OperationKey,
  type ReturnedInstance,
} from '../../data/agents/instance-operations.ts';
import { AppError } from '../../domain/errors.ts';
import type { ProvisionerPrincipal } from '../../domain/people/authorization.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

/** Longer than a verification takes. After it another call with the key may try. */
const LEASE_MS = 20_000;
/** How often a call looks whether the one before it has finished. */
const LOOK_MS = 100;

/** What an operation leaves for its replays. */
export interface Committed<Result> {
  readonly result: Result;
  readonly returned: ReturnedInstance;
  readonly credential?: { readonly id: string; readonly sealedToken: Buffer };
}

export interface Operation<Result> {
  readonly principal: ProvisionerPrincipal;
  /** Undefined: each call is a separate operation. */
  readonly key: Pick<OperationKey, 'operation' | 'key'> | undefined;
  readonly parametersHash: Buffer;
  /**
   * Asks another system, outside every transaction, for at most ten seconds. What it throws leaves
   * the key unused, and is thrown to the calls that waited for it.
   */
  readonly verify?: (() => Promise<void>) | undefined;
  /** In a transaction that has locked the agent. */
  readonly commit: (trx: Trx) => Promise<Committed<Result>>;
  /** In such a transaction, too. */
  readonly replay: (trx: Trx, kept: KeptOperation) => Promise<Result>;
}

export interface Done<Result> {
  readonly result: Result;
  /** False for a replay. */
  readonly isNew: boolean;
}

/**
 * Throws 401 or 403 `agent_disabled` where the token's agent ended, 409 `idempotency_conflict`, and
 * what the functions of the operation throw.
 */
export async function operateOnce<Result>(
  context: ServiceContext,
  operation: Operation<Result>,
): Promise<Done<Result>> {
  const progress: Progress = { isVerified: false };
  try {
    for (;;) {
      const step = await context.db.transaction((trx) => attempt(trx, operation, progress));
      if (step !== 'wait' && step !== 'verify') return step;
      if (step === 'wait') await delay(LOOK_MS);
      else {
        await operation.verify?.();
        progress.isVerified = true;
      }
    }
  } catch (error) {
    await endLease(context, operation, { leaseId: progress.leaseId, error });
    throw error;
  }
}

interface Progress {
  /** The attempt of this call. */
  leaseId?: string;
  /** The attempt that this call waits for. */
  waitsFor?: string;
  isVerified: boolean;
}

/** One look under locks: replays, waits, takes the lease or commits. */
async function attempt<Result>(
  trx: Trx,
  operation: Operation<Result>,
  progress: Progress,
): Promise<Done<Result> | 'wait' | 'verify'> {
  await lockAgentOf(trx, operation.principal);
  const key = keyOf(operation);
  if (key) {
    await lockOperation(trx, key);
    const found = await findOperation(trx, key);
    if (found?.state === 'done') {
      if (!found.parametersHash.equals(operation.parametersHash))
        throw new AppError('idempotency_conflict');
      return { result: await operation.replay(trx, found.kept), isNew: false };
    }
    if (found?.state === 'leased' && found.leaseId !== progress.leaseId) {
      progress.waitsFor = found.leaseId;
      return 'wait';
    }
    if (found?.failure && found.leaseId === progress.waitsFor && !progress.isVerified)
      throw new AppError(found.failure);
  }
  if (operation.verify && !progress.isVerified) {
    if (key) await lease(trx, { key, operation, progress });
    return 'verify';
  }
  const { result, ...committed } = await operation.commit(trx);
  const { parametersHash } = operation;
  if (key) await keepOperation(trx, key, { parametersHash, ...committed });
  return { result, isNew: true };
}

async function lease<Result>(
  trx: Trx,
  {
    key,
    operation: { parametersHash },
    progress,
  }: {
    readonly key: OperationKey;
    readonly operation: Operation<Result>;
    readonly progress: Progress;
  },
): Promise<void> {
  progress.leaseId = v7();
  await leaseOperation(trx, key, { leaseId: progress.leaseId, parametersHash, ms: LEASE_MS });
}

/** Without this, the next call with the key would wait for the end of the lease. */
async function endLease<Result>(
  { db, logger }: ServiceContext,
  operation: Operation<Result>,
  { leaseId, error }: { readonly leaseId: string | undefined; readonly error: unknown },
): Promise<void> {
  const key = keyOf(operation);
  if (!key || leaseId === undefined) return;
  const failure = error instanceof AppError ? error.code : 'dependency_unavailable';
  await failOperation(db, key, { leaseId, failure }).catch((err: unknown) => {
    logger.warn({ err }, 'the lease of an operation could not be ended; it expires');
  });
}

function keyOf<Result>({ principal, key }: Operation<Result>): OperationKey | undefined {
  return key && { provisionerId: principal.provisionerId, ...key };
}

/** So that it is neither archived nor disabled meanwhile. */
async function lockAgentOf(trx: Trx, principal: ProvisionerPrincipal): Promise<void> {
  const { organizationId, agentSlug } = principal;
  const agent = await findAgentForShare(trx, organizationId, agentSlug);
  if (!agent || agent.status === 'archived') throw new AppError('authentication_required');
  if (agent.status !== 'active') throw new AppError('agent_disabled');
}

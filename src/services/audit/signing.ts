/** Signs the checkpoints that are due, of chains that extend what was signed last. */
import type { ChainHead } from '../../domain/audit/chain.ts';
import {
  CHECKPOINT_MS,
  checkpointBytes,
  checkpointsDue,
  NO_CHECKPOINTS,
  tailAfter,
  type Checkpoint,
  type CheckpointTail,
} from '../../domain/audit/checkpoints.ts';
import type { SignedEnd } from '../../domain/audit/signed-ends.ts';
import type { ChainEnd, SealedEvent } from '../../data/audit/chain.ts';
import {
  insertCheckpoints,
  recordCheckpointsDue,
  recordUnsigned,
  type CheckpointDue,
  type Unsigned,
} from '../../data/audit/checkpoints.ts';
import type { SigningKey } from '../../platform/crypto/signing-key.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { AuditContext, AuditPorts, Runtime } from '../context.ts';
import { followChains, type Refusals } from './signed-ends.ts';

export interface ExtendedChain extends ChainEnd {
  readonly sealed: readonly SealedEvent[];
}

/** How this process may sign. */
export interface Signing {
  /** The longest time that entries wait for a checkpoint. */
  readonly everyMs: number;
  /** Why nothing can be signed. Organizations read it, so it names no file. */
  readonly obstacle: Unsigned | undefined;
}

/** What a transaction signed and refused, for `keepSigned` after its commit. */
export interface SignedBatch {
  readonly ends: ReadonlyMap<string, SignedEnd>;
  /** Chains that were compared with what was signed last. */
  readonly compared: readonly string[];
  readonly refusals: Refusals;
}

export const NOTHING_TO_KEEP: SignedBatch = { ends: new Map(), compared: [], refusals: new Map() };

export type SigningContext = Pick<AuditContext, 'db' | 'auditKey' | 'signedEnds' | 'logger'>;

/** Call it before the transaction. */
export async function prepareSigning(
  { db, auditKey, signedEnds, logger }: SigningContext,
  everyMs: number = CHECKPOINT_MS,
): Promise<Signing> {
  const failure = auditKey && (await signedEnds.prepare(db, logger));
  const reason = failure && `the file that keeps what was signed last ${failure.problem}`;
  return { everyMs, obstacle: reason === undefined ? undefined : { cause: 'not_kept', reason } };
}

interface SigningBatch {
  readonly chains: readonly ExtendedChain[];
  readonly now: Date;
  readonly signing: Signing;
}

interface Plan extends CheckpointDue {
  readonly chain: ExtendedChain;
  readonly due: readonly ChainHead[];
}

/** Call it before the new entries are inserted: the chains are compared as they were. */
export async function writeCheckpoints(
  trx: Trx,
  runtime: Runtime & AuditPorts,
  { chains, now, signing }: SigningBatch,
): Promise<SignedBatch> {
  const { everyMs } = signing;
  const plans: readonly Plan[] = chains.map((chain) => ({
    chain,
    organizationId: chain.organizationId,
    ...checkpointsDue(chain.sealed, { head: chain.head, last: chain.last, now, everyMs }),
  }));
  const { auditKey } = runtime;
  if (!auditKey) {
    // A key that is configured later signs all of them.
    const waiting = plans.filter(({ due, dueAt }) => due.length > 0 || dueAt !== undefined);
    await recordUnsigned(
      trx,
      waiting.map(({ organizationId }) => organizationId),
    );
    return NOTHING_TO_KEEP;
  }
  const toSign = plans.filter(({ due }) => due.length > 0);
  const refusals = await refusalsOf(trx, { ...runtime, auditKey }, { toSign, signing });
  const checkpoints = toSign
    .filter(({ organizationId }) => !refusals.has(organizationId))
    .flatMap(({ chain, due }) => signInOrder(auditKey, { ...chain, due, now }));
  await insertCheckpoints(trx, checkpoints, auditKey);
  const again = new Date(now.getTime() + CHECKPOINT_MS);
  await recordCheckpointsDue(
    trx,
    plans.map(({ organizationId, dueAt }) => {
      const refused = refusals.get(organizationId);
      return { organizationId, dueAt: refused ? again : dueAt, refused };
    }),
  );
  return {
    ends: endsOf(toSign, checkpoints),
    compared: toSign.map(({ organizationId }) => organizationId),
    refusals,
  };
}

async function refusalsOf(
  trx: Trx,
  { auditKey, signedEnds }: Runtime & AuditPorts & { readonly auditKey: SigningKey },
  { toSign, signing }: { readonly toSign: readonly Plan[]; readonly signing: Signing },
): Promise<Refusals> {
  const { obstacle } = signing;
  if (obstacle) return new Map(toSign.map(({ organizationId }) => [organizationId, obstacle]));
  if (toSign.length === 0) return new Map();
  const heads = new Map(toSign.map(({ organizationId, chain }) => [organizationId, chain.head]));
  const kept = signedEnds.endsOf([...heads.keys()]);
  const { misfits } = await followChains(trx, auditKey, { heads, kept });
  return new Map([...misfits].map(([id, reason]) => [id, { cause: 'log_changed', reason }]));
}

interface ToSign {
  readonly organizationId: string;
  readonly tail: CheckpointTail;
  readonly due: readonly ChainHead[];
  readonly now: Date;
}

function signInOrder(
  key: SigningKey,
  { organizationId, tail, due, now }: ToSign,
): readonly Checkpoint[] {
  let after = tail;
  return due.map(({ position, hash }) => {
    const link = { number: after.number + 1, previous: after.hash };
    const claim = { organizationId, position, hash, at: now, link };
    after = tailAfter(after, claim);
    return { ...claim, keyId: key.id, signature: key.sign(checkpointBytes(claim)) };
  });
}

function endsOf(
  plans: readonly Plan[],
  checkpoints: readonly Checkpoint[],
): ReadonlyMap<string, SignedEnd> {
  const tails = new Map(plans.map(({ chain }) => [chain.organizationId, chain.tail]));
  const ends = new Map<string, SignedEnd>();
  for (const checkpoint of checkpoints) {
    const { organizationId: id, position, hash } = checkpoint;
    const tail = tailAfter(ends.get(id)?.tail ?? tails.get(id) ?? NO_CHECKPOINTS, checkpoint);
    ends.set(id, { position, hash, tail });
  }
  return ends;
}

/** After the commit. */
export async function keepSigned(
  { signedEnds, logger, metrics }: Runtime & AuditPorts,
  { ends, compared, refusals }: SignedBatch,
): Promise<void> {
  for (const [organizationId, { cause, reason }] of signedEnds.refuse(compared, refusals))
    // The failure of a file has a separate line, for all organizations.
    if (cause === 'log_changed')
      logger.error(
        { organization_id: organizationId, reason },
        'refused to sign the audit log of an organization: it does not extend what was signed last',
      );
  const causes = [...signedEnds.refused.values()].map(({ cause }) => cause);
  for (const cause of ['log_changed', 'not_kept'] as const)
    metrics.auditSealRefused.set({ cause }, causes.filter((each) => each === cause).length);
  await signedEnds.record(ends, logger);
}

/**
 * Who signs the first line of an export. Call it before the end of the chain is read, and the result with it. Undefined where
 * the chain does not extend what was signed last, or where that cannot be kept.
 */
export async function headerSigner(
  context: SigningContext,
  organizationId: string,
): Promise<(end: ChainHead) => Promise<SigningKey | undefined>> {
  const { db, auditKey, signedEnds, logger } = context;
  if (!auditKey) return () => Promise.resolve(undefined);
  const { obstacle } = await prepareSigning(context);
  const kept = signedEnds.endsOf([organizationId]);
  return async (end) => {
    const heads = new Map([[organizationId, end]]);
    if (obstacle) {
      logger.error(
        { organization_id: organizationId, reason: obstacle.reason },
        'an export of the audit log is not signed: what was signed last cannot be kept',
      );
      return undefined;
    }
    const { ends, misfits } = await followChains(db, auditKey, { heads, kept });
    const reason = misfits.get(organizationId);
    if (reason === undefined) {
      await signedEnds.recordFollowed(ends, logger);
      return auditKey;
    }
    logger.error(
      { organization_id: organizationId, reason },
      'an export of the audit log is not signed: the log does not extend what was signed last',
    );
    return undefined;
  };
}

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
} from '../../data/audit/checkpoints.ts';
import type { SigningKey } from '../../platform/crypto/signing-key.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { followChains, type Refusals } from './signed-ends.ts';

export interface ExtendedChain extends ChainEnd {
  readonly sealed: readonly SealedEvent[];
}

/** How this process may sign. */
export interface Signing {
  /** The longest time that entries wait for a checkpoint. */
  readonly everyMs: number;
  /** Why nothing can be signed: what was signed last cannot be kept. */
  readonly obstacle: string | undefined;
}

/** What a transaction signed and refused, for `keepSigned` after its commit. */
export interface SignedBatch {
  readonly ends: ReadonlyMap<string, SignedEnd>;
  /** Chains that were compared with what was signed last. */
  readonly compared: readonly string[];
  readonly refusals: Refusals;
}

export const NOTHING_TO_KEEP: SignedBatch = { ends: new Map(), compared: [], refusals: new Map() };

export type SigningContext = Pick<ServiceContext, 'db' | 'auditKey' | 'signedEnds' | 'logger'>;

/** Call it before the transaction. */
export async function prepareSigning(
  { db, auditKey, signedEnds, logger }: SigningContext,
  everyMs: number = CHECKPOINT_MS,
): Promise<Signing> {
  if (!auditKey) return { everyMs, obstacle: undefined };
  try {
    await signedEnds.prepare(db, logger);
    return { everyMs, obstacle: undefined };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'damaged';
    if (signedEnds.isNewFailure(code))
      logger.error({ err: error }, 'what was signed last in the audit log cannot be kept');
    // Organizations read it, so it names no file.
    return { everyMs, obstacle: `what was signed last cannot be kept (${code})` };
  }
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
  runtime: Runtime,
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
      const refusedBecause = refusals.get(organizationId);
      return {
        organizationId,
        dueAt: refusedBecause === undefined ? dueAt : again,
        refusedBecause,
      };
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
  { auditKey, signedEnds }: Runtime & { readonly auditKey: SigningKey },
  { toSign, signing }: { readonly toSign: readonly Plan[]; readonly signing: Signing },
): Promise<Refusals> {
  const { obstacle } = signing;
  if (obstacle !== undefined)
    return new Map(toSign.map(({ organizationId }) => [organizationId, obstacle]));
  if (toSign.length === 0) return new Map();
  const heads = new Map(toSign.map(({ organizationId, chain }) => [organizationId, chain.head]));
  const kept = signedEnds.endsOf([...heads.keys()]);
  const { refusals } = await followChains(trx, auditKey, { heads, kept });
  return refusals;
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

/** After the commit. What cannot be kept now is kept before the next signature. */
export async function keepSigned(
  { signedEnds, logger, metrics }: Runtime,
  { ends, compared, refusals }: SignedBatch,
): Promise<void> {
  for (const [organizationId, reason] of signedEnds.refuse(compared, refusals))
    logger.error(
      { organization_id: organizationId, reason },
      'refused to sign the audit log of an organization: it does not extend what was signed last',
    );
  metrics.auditSealRefused.set(signedEnds.refused.size);
  await signedEnds.record(ends).catch((error: unknown) => {
    logger.error({ err: error }, 'what was signed in the audit log could not be kept');
  });
}

/**
 * Who signs the first line of an export. Call it before the end of the chain is read, and the result with it. Undefined where
 * the chain does not extend what was signed last.
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
    const followed =
      obstacle === undefined ? await followChains(db, auditKey, { heads, kept }) : undefined;
    const reason = obstacle ?? followed?.refusals.get(organizationId);
    if (followed && reason === undefined) {
      await signedEnds.recordFollowed(followed.ends).catch((error: unknown) => {
        logger.warn({ err: error }, 'what others signed in the audit log could not be kept');
      });
      return auditKey;
    }
    logger.error(
      { organization_id: organizationId, reason },
      'an export of the audit log is not signed: the log does not extend what was signed last',
    );
    return undefined;
  };
}

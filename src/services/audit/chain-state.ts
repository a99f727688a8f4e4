/** How far an organization's audit log is sealed and signed. */
import type { Checkpoint } from '../../domain/audit/checkpoints.ts';
import { MOST_UNSEALED } from '../../domain/audit/filters.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { listCheckpoints } from '../../data/audit/checkpoints.ts';
import { listRefusals, type Refusal } from '../../data/audit/signed-ends.ts';
import { readChainExtent, type ChainExtent } from '../../data/audit/verification.ts';
import type { AuditContext } from '../context.ts';

export interface ChainState extends ChainExtent {
  readonly checkpoint: Checkpoint | undefined;
  /** The key that this process signs with. */
  readonly keyId: string | undefined;
  /** Undefined when the chain may be signed. */
  readonly refusal: Refusal | undefined;
}

export async function readChainState(
  { db, auditKey }: AuditContext,
  { organizationId }: ProductPrincipal,
): Promise<ChainState> {
  const extent = await readChainExtent(db, organizationId, MOST_UNSEALED);
  const [checkpoint] = await listCheckpoints(db, organizationId, { before: undefined, limit: 1 });
  const [refusal] = await listRefusals(db, { organizationId, limit: 1 });
  return { refusal, ...extent, checkpoint, keyId: auditKey?.id };
}

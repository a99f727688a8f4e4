/** The public keys that verify checkpoints and exports of this deployment. */
import { listSigningKeys } from '../../data/audit/checkpoints.ts';
import type { AuditContext } from '../context.ts';

export interface AuditPublicKey {
  readonly id: string;
  readonly publicKey: Buffer;
  /** Undefined for a key that has signed nothing yet. */
  readonly firstUsedAt: Date | undefined;
}

/** The earliest first, and the one that this process signs with among them. */
export async function listAuditKeys({
  db,
  auditKey,
}: Pick<AuditContext, 'db' | 'auditKey'>): Promise<readonly AuditPublicKey[]> {
  const used = await listSigningKeys(db);
  return auditKey && !used.some(({ id }) => id === auditKey.id)
    ? [...used, { id: auditKey.id, publicKey: auditKey.publicKey, firstUsedAt: undefined }]
    : used;
}

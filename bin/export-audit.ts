/** `countersign export-audit`: the audit log of an organization with its proof, in a file. */
import { open, rm } from 'node:fs/promises';
import { SYSTEM } from '../src/domain/audit/events.ts';
import { listOrganizations } from '../src/data/audit/organizations.ts';
import type { Config } from '../src/platform/config.ts';
import { createLogger } from '../src/platform/logger.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import type { Db } from '../src/platform/postgres.ts';
import { exportAuditLog } from '../src/services/audit/export.ts';
import { SignedEnds } from '../src/services/audit/signed-ends.ts';
import { auditKeyOf, signedFileOf } from './audit-key.ts';
import { withDatabase } from './own-database.ts';

export interface ExportOptions {
  /** Its id or slug. Needed where there are several. */
  readonly organization?: string;
}

/** Resolves with the exit code. */
export async function exportAudit(
  config: Config,
  path: string,
  { organization }: ExportOptions,
): Promise<number> {
  return await withDatabase(config, 'serve', async ({ db, isOwn }) => {
    const auditKey = await auditKeyOf(config, isOwn);
    const logger = createLogger({ level: config.logLevel, format: config.logFormat });
    const organizationId = await organizationIdOf(db, organization);
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      throw new OperatorError(`${path} cannot be written: ${(error as Error).message}`);
    });
    try {
      const chunks = await exportAuditLog(
        { db, auditKey, signedEnds: new SignedEnds(signedFileOf(config, isOwn)), logger },
        { organizationId, actor: SYSTEM, filter: {}, format: 'ndjson', withProof: true },
      );
      for await (const chunk of chunks) await file.write(chunk);
      await file.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    console.log(
      `${path} has the audit log with its proof. Verify it with \`countersign verify-audit\`.`,
    );
    if (!auditKey)
      console.log(
        'It is not signed, because COUNTERSIGN_AUDIT_KEY is not set: it proves little to others.',
      );
    return 0;
  });
}

async function organizationIdOf(db: Db, wanted: string | undefined): Promise<string> {
  const all = await listOrganizations(db);
  const found = all.filter(({ id, slug, isDeleted }) =>
    wanted === undefined ? !isDeleted : id === wanted || slug === wanted,
  );
  const [only] = found;
  if (only && found.length === 1) return only.id;
  if (all.length === 0) throw new OperatorError('There is no organization yet.');
  const names = all.map(({ id, slug }) => `${slug} (${id})`).join(', ');
  throw new OperatorError(`Say which organization with --organization: ${names}.`);
}

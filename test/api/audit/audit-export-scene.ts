/** What tests of exports share: the text of an export, and what verification says of it. */
import { openSigningKey, verifierOf } from '../../../src/platform/crypto/signing-key.ts';
import type { KnownProof, VerifiedExport } from '../../../src/domain/audit/verify.ts';
import type { Checkpoint } from '../../../src/domain/audit/checkpoints.ts';
import { verifyExport } from '../../../src/services/audit/verify-export.ts';
import { AUDIT_KEY } from '../../services/audit/audit-scene.ts';

const key = openSigningKey(AUDIT_KEY.COUNTERSIGN_AUDIT_KEY);
if (!key) throw new Error('the key of the tests must open');

export const KNOWN: KnownProof = { keys: new Map([[key.id, verifierOf(key)]]), kept: [] };
export const keeping = (...kept: Checkpoint[]): KnownProof => ({ ...KNOWN, kept });

export async function verify(file: string | Buffer, known = KNOWN): Promise<VerifiedExport> {
  const bytes = Buffer.from(file);
  const half = Math.floor(bytes.length / 2);
  const chunks = (async function* () {
    yield bytes.subarray(0, half);
    yield await Promise.resolve(bytes.subarray(half));
  })();
  return await verifyExport(chunks, known);
}

/** What is wrong with the file. */
export async function problemOf(file: string | Buffer, known = KNOWN): Promise<string> {
  try {
    await verify(file, known);
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
}

export const linesOf = (file: string): string[] => file.split('\n').slice(0, -1);
export const fileOf = (lines: readonly string[]): string =>
  lines.map((line) => `${line}\n`).join('');

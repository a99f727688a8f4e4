/** The key of `start` for the audit log: only `start` makes it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { auditKeyOf, ensureOwnAuditKey } from '../../bin/audit-key.ts';
import { loadConfig } from '../../src/platform/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-audit-key-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const config = loadConfig({ COUNTERSIGN_DATA_DIR: folder }, 'start');

test('verifying or exporting makes no key, and uses the one that start made', async () => {
  expect([await auditKeyOf(config, true), readdirSync(folder)]).toEqual([undefined, []]);
  await ensureOwnAuditKey(config);
  expect(await auditKeyOf(config, true)).toMatchObject({ id: expect.any(String) });
  expect(await auditKeyOf(config, false)).toBeUndefined();
});

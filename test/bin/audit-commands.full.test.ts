/** `export-audit` and `verify-audit` as real processes: an export verifies in an empty folder, without the database. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listCheckpoints } from '../../src/data/audit/checkpoints.ts';
import { checkpointLine } from '../../src/domain/audit/export.ts';
import { sealAll } from '../../src/services/audit/sealer.ts';
import { scene } from '../support/scene.ts';
import { createOrganization } from '../support/scene/factories.ts';
import { AUDIT_KEY, record } from '../services/audit/audit-scene.ts';
import { runCommand } from './processes.ts';

const { app, organization } = await scene({ app: { environment: AUDIT_KEY } });
const { db, context } = app;
const DEPLOYMENT = { DATABASE_URL: app.databaseUrl, ...AUDIT_KEY };

let folder: string;
const at = (name: string): string => join(folder, name);
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runCommand(args, at('data'), { env });
const publicKey = context.auditKey?.publicKey.toString('base64') ?? '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('an export verifies in an empty folder without the database, and damage to it is named', async () => {
  await record(db, organization.id, { count: 600 });
  await sealAll(context);
  const written = run(['export-audit', at('audit.ndjson')], DEPLOYMENT);
  expect([written.status, written.stderr]).toEqual([0, '']);
  const again = run(['export-audit', at('audit.ndjson')], DEPLOYMENT);
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('EEXIST')]);

  const keys = await app.http.get('/.well-known/countersign-audit-keys');
  writeFileSync(at('keys.json'), keys.text);
  const whole = run(['verify-audit', at('audit.ndjson'), '--key', at('keys.json')]);
  expect([whole.status, whole.stderr]).toEqual([0, '']);
  expect(whole.stdout).toMatch(/^Whole: positions 1 to 6\d\d of organization [0-9a-f-]{36}/);
  expect(whole.stdout).toContain('Keep checkpoints elsewhere');
  expect(run(['verify-audit', at('audit.ndjson')]).stdout).toContain('no signature was verified');

  const text = readFileSync(at('audit.ndjson'), 'utf8');
  writeFileSync(at('damaged.ndjson'), text.replace('"t-7"', '"t-8"'));
  const damaged = run(['verify-audit', at('damaged.ndjson'), '--key', publicKey]);
  expect([damaged.status, damaged.stdout]).toEqual([1, '']);
  expect(damaged.stderr).toMatch(/^Broken\. Position \d+: the event/);
});

test('a checkpoint that was kept is compared, as a line or as a response of the API', async () => {
  const [checkpoint] = await listCheckpoints(db, organization.id, { before: undefined, limit: 1 });
  if (!checkpoint) throw new Error('no checkpoint');
  const line = checkpointLine(checkpoint);
  writeFileSync(at('kept.ndjson'), `${line}\n${line}\n`);
  writeFileSync(
    at('kept.json'),
    JSON.stringify({ checkpoints: [(JSON.parse(line) as { checkpoint: unknown }).checkpoint] }),
  );
  for (const kept of ['kept.ndjson', 'kept.json']) {
    const { status, stdout } = run([
      'verify-audit',
      at('audit.ndjson'),
      '--key',
      publicKey,
      '--checkpoint',
      at(kept),
    ]);
    expect(status).toBe(0);
    expect(stdout).toContain(`after position ${checkpoint.position}, your newest checkpoint`);
  }
});

test.each([
  ['no file', ['none.ndjson'], 'there is no such file'],
  ['no key', ['audit.ndjson', '--key', 'secret'], 'is neither an Ed25519 public key'],
  ['no checkpoint', ['audit.ndjson', '--checkpoint', 'keys.json'], 'is no file with checkpoints'],
])('%s is said in one sentence', (_what, args, message) => {
  const paths = args.map((arg) => (/\.\w+$/.test(arg) ? at(arg) : arg));
  const { status, stderr } = run(['verify-audit', ...paths]);
  expect([status, stderr.split('\n').length]).toEqual([1, 2]);
  expect(stderr).toContain(message);
});

test('the database is verified, and an event that was changed in it is named', async () => {
  const sound = run(['verify-audit'], DEPLOYMENT);
  expect([sound.status, sound.stderr]).toEqual([0, '']);
  expect(sound.stdout).toMatch(/^Whole: 6\d\d entries in 1 chain,/);
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx('audit_events').where({ subject_id: 't-9' }).update({ subject_id: 't-10' });
  });
  const changed = run(['verify-audit'], DEPLOYMENT);
  expect([changed.status, changed.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^Broken\. Organization [0-9a-f-]+, position \d+: its event, with sequence \d+, is not the one that was sealed/,
    ),
  ]);
});

test('where there are several organizations, one must be named', async () => {
  const other = await createOrganization(app);
  const unsaid = run(['export-audit', at('other.ndjson')], DEPLOYMENT);
  expect([unsaid.status, unsaid.stderr]).toEqual([1, expect.stringContaining(other.slug)]);
  const said = run(['export-audit', at('other.ndjson'), '--organization', other.slug], DEPLOYMENT);
  expect([said.status, said.stderr]).toEqual([0, '']);
});

test('without a data folder or a database, both say so', () => {
  mkdirSync(at('data'), { recursive: true });
  for (const args of [['verify-audit'], ['export-audit', at('nothing.ndjson')]]) {
    const { status, stderr } = run(args);
    expect([status, stderr]).toEqual([1, expect.stringContaining('is no data folder of `start`')]);
  }
});

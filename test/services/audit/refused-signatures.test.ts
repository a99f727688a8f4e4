/** With write access to the database and no key, a log is rewritten. The service signs none of it, and says so. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { listCheckpoints } from '../../../src/data/audit/checkpoints.ts';
import { listRefusals, readCheckpointsFrom } from '../../../src/data/audit/signed-ends.ts';
import { EVENT_COLUMNS } from '../../../src/data/audit/chain.ts';
import {
  canonicalLine,
  EMPTY_CHAIN,
  leafOf,
  nextEntry,
  type StoredEvent,
} from '../../../src/domain/audit/chain.ts';
import {
  newSigningKey,
  openSigningKey,
  verifierOf,
} from '../../../src/platform/crypto/signing-key.ts';
import { queryRows } from '../../../src/platform/rows.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { headerSigner } from '../../../src/services/audit/signing.ts';
import { SignedEnds } from '../../../src/services/audit/signed-ends.ts';
import { verifyDatabase } from '../../../src/services/audit/verify-database.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { AUDIT_KEY, minutesAhead, record } from './audit-scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-signed-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const file = join(folder, 'audit-signed');
const app = await appForFile({
  environment: { ...AUDIT_KEY, COUNTERSIGN_AUDIT_SIGNED_FILE: file },
});
const { db, context } = app;
const { auditKey } = context;
if (!auditKey) throw new Error('the key of the tests must open');
const KNOWN = { keys: new Map([[auditKey.id, verifierOf(auditKey)]]), kept: [] };
let ahead = 0;

/** Seals, and signs what is due in so many minutes. */
const seal = async (how = context) => {
  ahead += 2;
  return await sealAll(how, { floor: minutesAhead(ahead) });
};
const refusalOf = async (organizationId: string) =>
  (await listRefusals(db, { organizationId, limit: 1 }))[0]?.reason;
const checkpointsOf = async (id: string) =>
  await listCheckpoints(db, id, { before: undefined, limit: 100 });

async function signedOrganization(): Promise<string> {
  const { id } = await createOrganization(app);
  await record(db, id, { count: 8 });
  await seal();
  expect(await checkpointsOf(id)).toHaveLength(1);
  return id;
}

/** What someone without the key can do: another event at position 3, hashes that fit, and no checkpoint that contradicts. */
async function forge(organizationId: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx.raw(
      `update audit_events set data = '{"note": "forged"}'
        where sequence = (select event_sequence from audit_chain where organization_id = ? and position = 3)`,
      [organizationId],
    );
    const events = await queryRows<StoredEvent>(
      trx,
      `select ${EVENT_COLUMNS} from audit_chain c join audit_events e on e.sequence = c.event_sequence
        where c.organization_id = :organizationId order by c.position`,
      { organizationId },
    );
    let head = EMPTY_CHAIN;
    for (const event of events) {
      const entry = nextEntry(organizationId, head, leafOf(canonicalLine(event)));
      await trx('audit_chain')
        .where({ organization_id: organizationId, position: entry.position })
        .update({ leaf: entry.leaf, hash: entry.hash });
      head = entry;
    }
    await trx('audit_checkpoints').where({ organization_id: organizationId }).delete();
  });
}

const problems = async (): Promise<string> => {
  const signedEnds = new SignedEnds(file);
  await signedEnds.prepare(db, context.logger);
  const found = await verifyDatabase(db, KNOWN, {
    sealedWithinMs: 0,
    signedEnds: signedEnds.all(),
  });
  return found.problems.join('\n');
};

async function readiness() {
  const { status, body } = await app.http.get('/health/ready?exclude=temporal');
  expect(status).toBe(200);
  return (body as unknown as { checks: { audit: unknown } }).checks.audit;
}

test('a forged log is not signed: an error, a metric, readiness and verification say so', async () => {
  const id = await signedOrganization();
  expect(await problems()).toBe('');
  await forge(id);
  expect(await problems()).toMatch(/position 8: the service signed another hash of it/);
  await record(db, id);
  await seal();
  expect(await checkpointsOf(id)).toEqual([]);
  expect(app.log.join('')).toMatch(/"level":"?(50|error)"?.*refused to sign the audit log/);
  expect(await context.metrics.figure('countersign_audit_seal_refused')).toBe(1);
  const message = expect.stringMatching(
    /^1 audit log does not extend what was signed last, [^/]*$/,
  );
  expect(await readiness()).toEqual({ status: 'degraded', message });
  // A process that starts later keeps to it, because of the file.
  await seal({ ...context, signedEnds: new SignedEnds(file) });
  expect(await checkpointsOf(id)).toEqual([]);
});

test('once the log is as it was, it is signed again, and nothing is refused', async () => {
  const id = await signedOrganization();
  const [kept] = await checkpointsOf(id);
  if (!kept) throw new Error('no checkpoint');
  const rows = (await db('audit_checkpoints').where({ organization_id: id })) as object[];
  const remove = async () =>
    await db.transaction(async (trx) => {
      await trx.raw('set local session_replication_role = replica');
      await trx('audit_checkpoints').where({ organization_id: id }).delete();
    });
  await remove();
  await record(db, id);
  await seal();
  expect(context.signedEnds.refused.get(id)).toEqual({
    cause: 'log_changed',
    reason: expect.stringMatching(/checkpoint 1, of position 8, was signed/),
  });
  await db('audit_checkpoints').insert(rows);
  await seal();
  expect(context.signedEnds.refused.has(id)).toBe(false);
  expect((await checkpointsOf(id)).map(({ link }) => link?.number)).toEqual([2, 1]);
});

test('a chain that other processes signed meanwhile is followed', async () => {
  const id = await signedOrganization();
  const other = { ...context, signedEnds: new SignedEnds(undefined) };
  for (let round = 0; round < 3; round += 1) {
    await record(db, id, { count: 2 });
    await seal(other);
  }
  await record(db, id);
  await seal();
  expect((await checkpointsOf(id)).map(({ link }) => link?.number)).toEqual([5, 4, 3, 2, 1]);
});

test('the file is for this user alone, holds no draft, and a first start takes what the database has', async () => {
  const id = await signedOrganization();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['audit-signed']);
  const [newest] = await checkpointsOf(id);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    version: 1,
    chains: { [id]: { position: 8, number: 1, hash: newest?.hash.toString('hex') } },
  });
  const fresh = join(folder, 'fresh');
  const ends = new SignedEnds(fresh);
  await ends.prepare(db, context.logger);
  await ends.prepare(db, context.logger);
  expect(ends.endsOf([id]).get(id)).toMatchObject({ position: 8, tail: { number: 1 } });
  const said = app.log.filter((line) => line.includes(fresh) && line.includes('this once'));
  expect(said).toHaveLength(1);
  rmSync(fresh);
});

test('nothing is signed while the file cannot be read, and its events are sealed', async () => {
  const { id } = await createOrganization(app);
  await record(db, id, { count: 2 });
  const broken = join(folder, 'broken');
  writeFileSync(broken, 'not what was signed');
  const how = { ...context, signedEnds: new SignedEnds(broken) };
  await seal(how);
  expect(await checkpointsOf(id)).toEqual([]);
  const reason = 'the file that keeps what was signed last does not say what was signed';
  expect(how.signedEnds.refused.get(id)).toEqual({ cause: 'not_kept', reason });
  expect(await db('audit_chain').where({ organization_id: id })).toHaveLength(2);
  await seal();
  expect(await checkpointsOf(id)).toHaveLength(1);
});

test('a file that cannot be written is named in the log once, and never in what an organization reads', async () => {
  const { id } = await createOrganization(app);
  await record(db, id);
  // The name of its draft is too long.
  const named = join(folder, 'x'.repeat(250));
  const signedEnds = new SignedEnds(named);
  const how = { ...context, signedEnds };
  await seal(how);
  await seal(how);
  const problem = 'cannot be written (ENAMETOOLONG: name too long)';
  expect(await refusalOf(id)).toBe(`the file that keeps what was signed last ${problem}`);
  const advice =
    'Let the user of the process read and write it and its folder, or name another file.';
  expect(signedEnds.failure?.message).toBe(`${named} ${problem}. ${advice}`);
  expect(app.log.filter((line) => line.includes(`${named} ${problem}`))).toHaveLength(1);
  // It says nothing against the log of the organization.
  expect(app.log.filter((line) => line.includes(id) && line.includes('refused'))).toEqual([]);
  const metrics = await context.metrics.registry.metrics();
  expect(metrics).toMatch(/countersign_audit_seal_refused\{cause="not_kept"\} [1-9]/);
  expect(metrics).toContain('countersign_audit_seal_refused{cause="log_changed"} 0');
  await seal();
  expect(await refusalOf(id)).toBeUndefined();
});

test('readiness names the file that cannot be read and what to do, and the log is signed afterwards', async () => {
  const { id } = await createOrganization(app);
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, 'damaged');
  await record(db, id);
  await seal();
  expect(await checkpointsOf(id)).toEqual([]);
  const unkept = {
    status: 'degraded',
    message: expect.stringContaining(
      `nothing in the audit log is signed, because what is signed cannot be kept: ${file} does not say what was signed. Put it back from a backup, or remove it to take what the database has.`,
    ),
  };
  expect(await readiness()).toEqual(unkept);
  writeFileSync(file, whole);
  await seal();
  expect(await checkpointsOf(id)).toHaveLength(1);
  expect(app.log.some((line) => line.includes('is kept again'))).toBe(true);
  expect(await readiness()).not.toEqual(unkept);
});

test('a process without a key, or with a file that it cannot write, leaves refusals as they are', async () => {
  const id = await signedOrganization();
  await forge(id);
  await record(db, id);
  await seal();
  const refusal = await refusalOf(id);
  expect(refusal).toMatch(/checkpoint 1, of position 8, was signed/);
  await record(db, id);
  await seal({ ...context, auditKey: undefined });
  await seal({ ...context, signedEnds: new SignedEnds(join(folder, 'x'.repeat(250))) });
  expect(await db('audit_chain').where({ organization_id: id })).toHaveLength(10);
  expect(await refusalOf(id)).toBe(refusal);
});

test('an export keeps what others signed, so that the next one follows only what is new', async () => {
  const id = await signedOrganization();
  const own = join(folder, 'exporter');
  const signedEnds = new SignedEnds(own);
  await signedEnds.prepare(db, context.logger);
  for (let round = 0; round < 3; round += 1) {
    await record(db, id);
    await seal();
  }
  const head = { position: 11, hash: (await checkpointsOf(id))[0]?.hash ?? Buffer.alloc(0) };
  const signerOf = await headerSigner({ ...context, signedEnds }, id);
  expect(signedEnds.endsOf([id]).get(id)).toMatchObject({ position: 8, tail: { number: 1 } });
  expect(await signerOf(head)).toBe(auditKey);
  expect(signedEnds.endsOf([id]).get(id)).toMatchObject({ ...head, tail: { number: 4 } });
  expect(JSON.parse(readFileSync(own, 'utf8'))).toMatchObject({ chains: { [id]: { number: 4 } } });
  // One of another key proves nothing, so it is not kept.
  await record(db, id);
  await seal({ ...context, auditKey: openSigningKey(newSigningKey()) });
  const { hash } = (await checkpointsOf(id))[0] ?? head;
  const again = await headerSigner({ ...context, signedEnds }, id);
  expect(await again({ position: 12, hash })).toBe(auditKey);
  expect(signedEnds.endsOf([id]).get(id)).toMatchObject({ ...head, tail: { number: 4 } });
});

test('checkpoints are read in pages, each chain in order', async () => {
  const ids = [await signedOrganization(), await signedOrganization()].toSorted();
  for (const id of ids) await record(db, id);
  await seal();
  const from = new Map(ids.toReversed().map((id) => [id, { position: 1 }]));
  const read: [string, number][] = [];
  for await (const { organizationId, position } of readCheckpointsFrom(db, from, 1))
    read.push([organizationId, position]);
  expect(read).toEqual(ids.flatMap((id) => [8, 9].map((position) => [id, position])));
});

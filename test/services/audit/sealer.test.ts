/** Every committed event gets a place in the chain of its organization, once, whatever happens meanwhile. */
import { expect, test } from '@jest/globals';
import { sealAll, startSealing } from '../../../src/services/audit/sealer.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { until, untilBlocked } from '../../support/waiting.ts';
import {
  age,
  AUDIT_KEY,
  chainOf,
  hashesOfLeaves,
  horizonOf,
  record,
  sequencesOf,
} from './audit-scene.ts';

const app = await appForFile({ environment: AUDIT_KEY });
const { db, context } = app;

/** All events in one unbroken chain with the right hashes. */
async function expectWhole(organizationId: string): Promise<void> {
  const chain = await chainOf(db, organizationId);
  expect(chain.map(({ position }) => position)).toEqual(chain.map((_, index) => index + 1));
  const sealed = chain.map(({ event_sequence: sequence }) => sequence);
  expect(sealed.sort((a, b) => a - b)).toEqual(await sequencesOf(db, organizationId));
  expect(chain.map(({ hash }) => hash)).toEqual(await hashesOfLeaves(db, organizationId));
}

test('events are sealed in the order of their sequence, each organization for itself, in batches', async () => {
  const [one, two] = [await createOrganization(app), await createOrganization(app)];
  for (let index = 0; index < 5; index += 1) {
    await record(db, one.id, { count: 7 });
    await record(db, two.id, { count: 3 });
  }
  await sealAll(context, { batch: 10 });
  for (const { id } of [one, two]) {
    await expectWhole(id);
    const order = (await chainOf(db, id)).map(({ event_sequence: sequence }) => sequence);
    expect(order).toEqual(await sequencesOf(db, id));
  }
});

test('an event whose transaction is open over ten rounds is sealed late, after those that came meanwhile', async () => {
  const { id } = await createOrganization(app);
  await record(db, id);
  const slow = await db.transaction();
  await record(slow, id, { verb: 'delayed' });
  for (let round = 0; round < 10; round += 1) {
    await record(db, id);
    await age(db);
    await sealAll(context);
  }
  const before = await chainOf(db, id);
  const sequences = await sequencesOf(db, id);
  const gap = Math.max(...sequences) - sequences.length;
  const { settled_to: settledTo } = await horizonOf(db);
  await slow.commit();
  expect(before).toHaveLength(11);
  expect(settledTo).toBeLessThanOrEqual(Math.min(...sequences) + gap);
  await sealAll(context);
  const after = await chainOf(db, id);
  expect(after.slice(0, 11)).toEqual(before);
  expect(after[11]?.event_sequence).toBeLessThan(after[10]?.event_sequence ?? 0);
  await expectWhole(id);
});

test('once all is sealed and settled, a round is one statement that reads no old event', async () => {
  const last = await db('audit_events').max({ sequence: 'sequence' }).first();
  // Transactions of other databases on the server hold it up, too.
  await until('all is sealed and settled', async () => {
    const before = await horizonOf(db);
    await age(db);
    await sealAll(context);
    const after = await horizonOf(db);
    return after.sealed_to === last?.['sequence'] && after.settled_to === before.settled_to;
  });
  const statements = await statementsDuring(app, () => sealAll(context));
  expect(statements).toHaveLength(1);
});

test.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
  'sealers at once make one chain (round %i)',
  async () => {
    const { id } = await createOrganization(app);
    const writers = Array.from({ length: 5 }, () => record(db, id, { count: 20 }));
    const sealers = Array.from({ length: 4 }, () => sealAll(context, { batch: 15 }));
    await Promise.all([...writers, ...sealers]);
    // They leave a chain to each other, and never write the same entries.
    expect(app.log.join('')).not.toContain('chains could not be sealed');
    await sealAll(context);
    await expectWhole(id);
  },
);

test('a sealer that dies in the middle of a batch leaves nothing of it, and the next one seals it', async () => {
  const { id } = await createOrganization(app);
  await record(db, id, { count: 3 });
  const gate = await db.transaction();
  try {
    await gate.raw('lock table audit_chain in exclusive mode');
    const sealing = expect(sealAll(context)).rejects.toThrow();
    await untilBlocked(gate);
    await gate.raw(`select pg_terminate_backend(pid) from pg_stat_activity
                     where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into audit_chain%'`);
    await sealing;
    expect(await chainOf(db, id)).toEqual([]);
  } finally {
    await gate.rollback();
  }
  await sealAll(context);
  await expectWhole(id);
});

test('a chain that cannot be extended does not hold up the others', async () => {
  const [broken, sound] = [await createOrganization(app), await createOrganization(app)];
  await db('audit_chain').insert({
    organization_id: broken.id,
    position: '9223372036854775807',
    event_sequence: '9223372036854775807',
    leaf: Buffer.alloc(32),
    hash: Buffer.alloc(32),
  });
  await record(db, broken.id, { count: 12 });
  await record(db, sound.id, { count: 12 });
  await sealAll(context, { batch: 10 });
  await expectWhole(sound.id);
  expect(await chainOf(db, broken.id)).toHaveLength(1);
  const metrics = await context.metrics.registry.metrics();
  expect(metrics).toMatch(
    /^countersign_audit_unsealed_oldest_seconds 0\.\d+|^countersign_audit_unsealed_oldest_seconds [1-9]/m,
  );
});

test('a process seals by itself, and says once when it has no key to sign with', async () => {
  const { id } = await createOrganization(app);
  const signed = startSealing(context);
  await signed.stop();
  expect(app.log.join('')).not.toContain('COUNTERSIGN_AUDIT_KEY');
  const sealing = startSealing({ ...context, auditKey: undefined });
  await record(db, id, { count: 3 });
  await until('the events to be sealed', async () => (await chainOf(db, id)).length === 3);
  await sealing.stop();
  expect(app.log.join('').match(/COUNTERSIGN_AUDIT_KEY is not set/g)).toHaveLength(1);
});

test('the database refuses to change or delete what is sealed and signed', async () => {
  for (const table of ['audit_chain', 'audit_checkpoints', 'audit_signing_keys']) {
    await expect(db(table).delete()).rejects.toThrow(/append-only/);
    await expect(db.raw(`truncate ${table} cascade`)).rejects.toThrow(/append-only/);
  }
  await expect(db('audit_chain').update({ leaf: Buffer.alloc(32) })).rejects.toThrow(/append-only/);
});

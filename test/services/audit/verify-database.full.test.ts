/** What someone with every right on the database does to the audit log is found in the database. */
import { afterEach, expect, test } from '@jest/globals';
import { listCheckpoints } from '../../../src/data/audit/checkpoints.ts';
import { checkpointBytes } from '../../../src/domain/audit/checkpoints.ts';
import { insertAuditEvents } from '../../../src/data/audit/events.ts';
import { SYSTEM } from '../../../src/domain/audit/events.ts';
import type { KnownProof } from '../../../src/domain/audit/verify.ts';
import {
  openSigningKey,
  newSigningKey,
  verifierOf,
} from '../../../src/platform/crypto/signing-key.ts';
import type { Trx } from '../../../src/platform/postgres.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { verifyDatabase } from '../../../src/services/audit/verify-database.ts';
import { SignedEnds } from '../../../src/services/audit/signed-ends.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization, type TestOrganization } from '../../support/scene/factories.ts';
import { AUDIT_KEY, minutesAhead, record } from './audit-scene.ts';

const app = await appForFile({ environment: AUDIT_KEY });
const { db, context } = app;
const key = openSigningKey(AUDIT_KEY.COUNTERSIGN_AUDIT_KEY);
if (!key) throw new Error('the key of the tests must open');
const KNOWN: KnownProof = { keys: new Map([[key.id, verifierOf(key)]]), kept: [] };

/** By a process that remembers nothing of what was signed. */
const seal = async (given: Partial<typeof context> = {}, options = {}) =>
  await sealAll({ ...context, signedEnds: new SignedEnds(undefined), ...given }, options);

const verify = async (known = KNOWN) => await verifyDatabase(db, known, { sealedWithinMs: 0 });
const problems = async (known = KNOWN): Promise<string> =>
  (await verify(known)).problems.join('\n');

/** With triggers off, as a superuser can. */
async function asSuperuser(work: (trx: Trx) => Promise<unknown>): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await work(trx);
  });
}

/** Eight sealed events of a new organization; its sequences. */
async function sealed(): Promise<{ organization: TestOrganization; sequences: number[] }> {
  const organization = await createOrganization(app);
  await record(db, organization.id, { count: 8 });
  await seal();
  const rows = await db('audit_chain')
    .where({ organization_id: organization.id })
    .orderBy('position')
    .pluck('event_sequence');
  return { organization, sequences: rows as number[] };
}

/** The next test begins with a sound database. */
afterEach(async () => {
  await asSuperuser(async (trx) => {
    for (const table of ['audit_chain', 'audit_checkpoints', 'audit_events'])
      await trx(table).delete();
    await trx('audit_horizon').update({ sealed_to: 0 });
  });
  await seal();
});

test('a sound database has no problem, and what is sealed a moment later is none', async () => {
  const { organization } = await sealed();
  await record(db, organization.id, { count: 2 });
  expect(await verify()).toEqual({
    organizations: 1,
    entries: 8,
    checkpoints: 1,
    problems: [],
    notSealedYet: 2,
    trustsDatabase: false,
  });
  const verifying = verifyDatabase(db, KNOWN, { sealedWithinMs: 60_000 });
  await seal();
  expect(await verifying).toMatchObject({ problems: [], notSealedYet: 0 });
});

test('a changed event', async () => {
  const { sequences } = await sealed();
  await asSuperuser((trx) =>
    trx('audit_events')
      .where({ sequence: sequences[2] ?? 0 })
      .update({ data: '{"note": "another"}' }),
  );
  expect(await problems()).toMatch(/position 3: its event, .*, is not the one that was sealed/);
});

test('a removed event', async () => {
  const { sequences } = await sealed();
  await asSuperuser((trx) =>
    trx('audit_events')
      .where({ sequence: sequences[4] ?? 0 })
      .delete(),
  );
  expect(await problems()).toMatch(/position 5: its event, .*, is gone/);
});

test('an event that was moved to another organization', async () => {
  const { sequences } = await sealed();
  const other = await createOrganization(app);
  await asSuperuser((trx) =>
    trx('audit_events')
      .where({ sequence: sequences[4] ?? 0 })
      .update({ organization_id: other.id }),
  );
  expect(await problems()).toMatch(/position 5: its event, .*, is gone/);
});

test('an entry that was removed with its event', async () => {
  const { organization, sequences } = await sealed();
  await asSuperuser(async (trx) => {
    await trx('audit_events')
      .where({ sequence: sequences[3] ?? 0 })
      .delete();
    await trx('audit_chain').where({ organization_id: organization.id, position: 4 }).delete();
  });
  expect(await problems()).toMatch(/position 4: it is missing/);
});

test('two events that changed places', async () => {
  const { sequences } = await sealed();
  const [one = 0, two = 0] = sequences;
  await asSuperuser(async (trx) => {
    for (const [from, to] of [
      [one, -1],
      [two, one],
      [-1, two],
    ] as const)
      await trx('audit_chain').where({ event_sequence: from }).update({ event_sequence: to });
  });
  expect(await problems()).toMatch(/position 1: its event, .*, is not the one that was sealed/);
});

test('a changed hash', async () => {
  const { organization } = await sealed();
  await asSuperuser((trx) =>
    trx('audit_chain')
      .where({ organization_id: organization.id, position: 6 })
      .update({ hash: Buffer.alloc(32, 1) }),
  );
  expect(await problems()).toMatch(/position 6: its hash does not follow/);
});

test('a whole chain that was computed again, by its checkpoint', async () => {
  const { organization, sequences } = await sealed();
  await asSuperuser(async (trx) => {
    await trx('audit_chain').delete();
    await trx('audit_events')
      .where({ sequence: sequences[0] ?? 0 })
      .delete();
    await trx('audit_horizon').update({ sealed_to: 0 });
  });
  await seal();
  await record(db, organization.id, { count: 3 });
  await seal();
  expect(await problems()).toMatch(/position 8: a checkpoint of .* has another hash/);
});

test('a chain that was rolled back', async () => {
  const { organization, sequences } = await sealed();
  await asSuperuser(async (trx) => {
    await trx('audit_chain')
      .where({ organization_id: organization.id })
      .andWhere('position', '>', 5)
      .delete();
    await trx('audit_events').whereIn('sequence', sequences.slice(5)).delete();
  });
  expect(await problems()).toMatch(
    /position 6: it is missing. The chain ends before it, and a checkpoint of position 8/,
  );
});

test('a chain that was rolled back with its checkpoints, by one that someone kept', async () => {
  const { organization, sequences } = await sealed();
  const kept = await listCheckpoints(db, organization.id, { before: undefined, limit: 1 });
  await asSuperuser(async (trx) => {
    await trx('audit_checkpoints').delete();
    await trx('audit_chain')
      .where({ organization_id: organization.id })
      .andWhere('position', '>', 5)
      .delete();
    await trx('audit_events').whereIn('sequence', sequences.slice(5)).delete();
  });
  expect(await problems()).toBe('');
  expect(await problems({ ...KNOWN, kept })).toMatch(/position 6: it is missing/);
});

/** Five checkpoints of ten positions, oldest first. */
async function signedOften(): Promise<TestOrganization> {
  const { organization } = await sealed();
  for (let round = 0; round < 4; round += 1) {
    await record(db, organization.id);
    await seal({}, { floor: minutesAhead(round * 2 + 2) });
  }
  return organization;
}

const numbersOf = async (id: string): Promise<(number | undefined)[]> =>
  (await listCheckpoints(db, id, { before: undefined, limit: 100 })).map(
    ({ link }) => link?.number,
  );

test('a checkpoint that was removed, repeated, or signed after another one', async () => {
  const { id } = await signedOften();
  expect(await numbersOf(id)).toEqual([5, 4, 3, 2, 1]);
  expect(await problems()).toBe('');
  const rows = await db('audit_checkpoints').where({ organization_id: id }).orderBy('position');
  const [, second, third] = rows as readonly Record<string, unknown>[];
  const put = async (row: Record<string, unknown> | undefined) =>
    await asSuperuser(async (trx) => {
      await trx('audit_checkpoints')
        .where({ organization_id: id, position: third?.['position'] as number })
        .delete();
      if (row) await trx('audit_checkpoints').insert(row);
    });
  await put(undefined);
  expect(await problems()).toMatch(
    /position 11: its checkpoint has number 4, and number 3 is missing/,
  );
  await put({ ...third, previous: second?.['previous'] });
  expect(await problems()).toMatch(/position 10: its checkpoint does not have a signature/);
  const foreign = otherClaim(id, third);
  await put(foreign);
  expect(await problems()).toMatch(
    /position 10: its checkpoint has number 3, and the checkpoint before/,
  );
  await asSuperuser((trx) => trx.raw('drop index audit_checkpoints_number_key'));
  await put(otherClaim(id, { ...third, number: 2 }));
  expect(await problems()).toMatch(/position 10: its checkpoint has number 2, which comes again/);
  await put(third);
  await db.raw(
    'create unique index audit_checkpoints_number_key on audit_checkpoints (organization_id, number) where number is not null',
  );
});

/** What a service with the same key would have signed after another checkpoint. */
function otherClaim(organizationId: string, row: Record<string, unknown> | undefined) {
  const [position, number, at] = [row?.['position'], row?.['number'], row?.['at']];
  const previous = Buffer.alloc(32, 7);
  const claim = {
    organizationId,
    position: position as number,
    hash: row?.['hash'] as Buffer,
    at: at as Date,
    link: { number: number as number, previous },
  };
  return { ...row, previous, number, signature: key?.sign(checkpointBytes(claim)) };
}

test('the newest checkpoints, removed with nothing after them, by one that someone kept', async () => {
  const { id } = await signedOften();
  const kept = await listCheckpoints(db, id, { before: undefined, limit: 1 });
  await asSuperuser((trx) => trx('audit_checkpoints').where({ number: 5 }).delete());
  expect(await problems({ ...KNOWN, kept })).toMatch(
    /has number 5, and the database has none after number 4/,
  );
});

test('checkpoints of version 1 stay valid, and the first numbered one covers the last of them', async () => {
  const { organization } = await sealed();
  const { id } = organization;
  await asSuperuser(async (trx) => {
    const [row] = await listCheckpoints(trx, id, { before: undefined, limit: 1 });
    if (!row || !key) throw new Error('no checkpoint');
    const signature = key.sign(checkpointBytes({ ...row, link: undefined }));
    await trx('audit_checkpoints').update({ number: null, previous: null, signature });
  });
  await record(db, id);
  await seal({}, { floor: minutesAhead(2) });
  expect(await numbersOf(id)).toEqual([1, undefined]);
  expect(await problems()).toBe('');
  await asSuperuser((trx) => trx('audit_checkpoints').whereNull('number').delete());
  expect(await problems()).toMatch(
    /position 9: its checkpoint has number 1, and the checkpoint before/,
  );
});

test('a checkpoint that another key signed', async () => {
  await sealed();
  const stranger = openSigningKey(newSigningKey());
  const { organization } = await sealed();
  await record(db, organization.id, { count: 10_000 });
  await seal({ auditKey: stranger });
  expect(await problems()).toMatch(/which was not given/);
  await asSuperuser((trx) => trx('audit_checkpoints').update({ signature: Buffer.alloc(64) }));
  expect(await problems()).toMatch(/does not have a signature of the key/);
  expect(await verify({ keys: new Map(), kept: [] })).toMatchObject({ trustsDatabase: true });
});

test('an event that was inserted where events are sealed already', async () => {
  const { organization } = await sealed();
  for (let round = 0; round < 4; round += 1) {
    await db.raw(`update audit_horizon set pending_at = pending_at - interval '1 minute'`);
    await seal();
  }
  await db.raw(
    `insert into audit_events (sequence, id, organization_id, event_type, actor_type, subject_type, subject_id, data, occurred_at)
     overriding system value values (-7, gen_random_uuid(), ?, 'team.noted', 'system', 'team', 't', '{}', clock_timestamp())`,
    [organization.id],
  );
  await seal();
  expect(await problems()).toMatch(
    /^1 event is not sealed, and should be. The first has sequence -7/,
  );
});

test('events that no worker has sealed for over a minute', async () => {
  const { organization } = await sealed();
  await insertAuditEvents(db, organization.id, {
    events: [{ eventType: 'team.created', actor: SYSTEM, subjectId: 't' }],
    occurredAt: new Date(Date.now() - 61_000),
  });
  expect(await problems()).toMatch(/^1 event is not sealed, and should be/);
  await seal();
  expect(await problems()).toBe('');
});

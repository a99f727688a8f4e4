/** An export of the audit log over HTTP: what it contains, and that it verifies without the database. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { insertAuditEvents } from '../../../src/data/audit/events.ts';
import { listCheckpoints } from '../../../src/data/audit/checkpoints.ts';
import type { AuditEventType } from '../../../src/domain/audit/event-sentences.ts';
import { SYSTEM, type AuditActor } from '../../../src/domain/audit/events.ts';
import { exportAuditLog } from '../../../src/services/audit/export.ts';
import { SignedEnds } from '../../../src/services/audit/signed-ends.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { everywhere, scene } from '../../support/scene.ts';
import { createMember, createOrganization } from '../../support/scene/factories.ts';
import { AUDIT_KEY, record } from '../../services/audit/audit-scene.ts';
import { keeping, KNOWN, linesOf, problemOf, verify } from './audit-export-scene.ts';

const { app, organization, people } = await scene({
  app: { environment: { ...AUDIT_KEY, COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: ['audit.read'] },
});
const { db, context } = app;
const ada = people.ada.http;
const EXPORT = '/api/v1/audit/export';

/** Sequences of the events that an export shows. */
async function shown(query: string): Promise<Record<string, unknown>[]> {
  const { status, text } = await ada.get(`${EXPORT}?${query}`);
  expect(status).toBe(200);
  return linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown>);
}

const agent: AuditActor = { type: 'agent', id: 'deploy-bot', displayName: 'Deploy 100% bot' };
const member: AuditActor = {
  type: 'human',
  id: people.ada.membershipId,
  displayName: 'Ada',
};
await insertAuditEvents(db, organization.id, {
  events: [
    { eventType: 'agent.disabled', actor: member, subjectId: 'deploy-bot' },
    { eventType: 'approval_request.routed', actor: agent, subjectId: 'r-1' },
    {
      eventType: 'approval_request.denied',
      actor: member,
      subjectId: 'r-1',
      data: { note: 'ÜBER 5 €' },
    },
    {
      eventType: 'tool_call.refused' as AuditEventType,
      actor: agent,
      subjectId: 'c-1',
      data: { outcome: 'blocked', odd: '\u0000' },
    },
    {
      eventType: 'tool_call.refused' as AuditEventType,
      actor: agent,
      subjectId: 'c-2',
      data: { outcome: 'blocked' },
    },
  ],
});
await insertAuditEvents(db, organization.id, {
  events: [{ eventType: 'team.renamed', actor: agent, subjectId: 'old' }],
  occurredAt: new Date('2020-05-05T10:00:00.000Z'),
});

test('each filter leaves only what matches', async () => {
  const subjects = async (query: string) =>
    (await shown(query)).map((event) => [event['event_type'], event['subject_id']].join(' '));
  const REFUSED = 'tool_call.refused c-2';
  expect(await subjects('event_type=agent.disabled&event_type=team.renamed')).toEqual([
    'agent.disabled deploy-bot',
    'team.renamed old',
  ]);
  expect(await subjects('actor_type=agent&outcome=human')).toEqual(['approval_request.routed r-1']);
  expect(await subjects('outcome=denied')).toEqual(['approval_request.denied r-1']);
  expect(await subjects('outcome=blocked')).toEqual([REFUSED]);
  expect(await subjects('subject_type=agent&subject_id=deploy-bot')).toEqual([
    'agent.disabled deploy-bot',
  ]);
  expect(
    await subjects('actor_id=deploy-bot&from_at=2020-01-01T00:00:00Z&to_at=2021-01-01T00:00:00Z'),
  ).toEqual(['team.renamed old']);
  expect(await subjects('to_at=2020-05-05T10:00:00Z')).toEqual([]);
  expect(await subjects('to_at=2020-05-05T10:00:00.001Z&from_at=2020-05-05T10:00:00Z')).toEqual([
    'team.renamed old',
  ]);
  expect(await subjects('q=%C3%BCber%205%20%E2%82%AC')).toEqual(['approval_request.denied r-1']);
  expect(await subjects('q=100%25%20b&outcome=human')).toEqual(['approval_request.routed r-1']);
  expect(await subjects('q=100_')).toEqual([]);
});

test('a membership and its user find the same events', async () => {
  const { membershipId, userId } = people.ada;
  const ofMember = await shown(`actor_id=${membershipId.toUpperCase()}&to_at=2100-01-01T00:00:00Z`);
  const ofUser = await shown(`actor_id=${userId}&to_at=2100-01-01T00:00:00Z`);
  expect(ofMember.length).toBeGreaterThan(1);
  expect(ofUser.slice(0, ofMember.length)).toEqual(ofMember);
});

test.each([
  ['subject_id=r-1', '/query/subject_id'],
  ['proof=true&format=csv', '/query/proof'],
  ['q=a', '/query/q'],
  ['from_at=yesterday', '/query/from_at'],
  ['outcome=maybe', '/query/outcome'],
  ['event_type=', '/query/event_type/0'],
  ['actor_type=agent&actor_type=human', '/query/actor_type'],
])('%s is refused', async (query, pointer) => {
  const { status, body } = await ada.get(`${EXPORT}?${query}`);
  expect([status, body['error']?.['details']?.['issues']?.[0]?.['pointer']]).toEqual([
    400,
    pointer,
  ]);
});

test('with proof it verifies whole, filtered or not, with events of this organization only', async () => {
  const stranger = await createOrganization(app);
  await record(db, stranger.id, { count: 20 });
  await record(db, organization.id, { count: 1_200 });
  await sealAll(context);
  const { text, headers } = await ada.get(`${EXPORT}?proof=true`);
  expect(headers['content-type']).toBe('application/x-ndjson');
  expect(headers['content-disposition']).toBe('attachment; filename="audit.ndjson"');
  expect(text).not.toContain(stranger.id);
  const whole = await verify(text);
  expect(whole.events).toBe(whole.header.end.position);
  expect(whole.events).toBeGreaterThan(1_200);
  expect(whole.signedTo).toBe(whole.events);
  const filtered = await ada.get(`${EXPORT}?proof=true&event_type=agent.disabled`);
  expect(filtered.text).not.toContain('Grüße');
  const part = await verify(filtered.text);
  expect([part.events, part.header.end]).toEqual([1, whole.header.end]);
  expect(part.header.filters).toEqual({ event_type: ['agent.disabled'] });
});

test('an export is recorded, with who asked for what', async () => {
  await ada.get(`${EXPORT}?format=csv&outcome=denied`);
  const [event] = (await shown('event_type=audit_log.exported')).slice(-1);
  expect(event).toMatchObject({
    actor_type: 'api_key',
    actor_id: people.ada.membershipId,
    subject_type: 'audit_log',
    subject_id: organization.id,
    data: { format: 'csv', proof: false, filters: { outcome: 'denied' } },
  });
});

test('a spreadsheet finds no formula in the CSV', async () => {
  const names = [
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\tx',
    ' =1',
    '＝1',
    'a,"b"\nc',
    'a;=1',
    'a\n "-1;;+2',
    'a;b',
    'plain',
  ];
  await insertAuditEvents(db, organization.id, {
    events: names.map((displayName) => ({
      eventType: 'agent.renamed',
      actor: { ...agent, displayName },
      subjectId: 'deploy-bot',
    })),
  });
  const { text, headers } = await ada.get(`${EXPORT}?format=csv&event_type=agent.renamed`);
  expect(headers['content-type']).toMatch(/^text\/csv/);
  const [head, ...rows] = text.split('\r\n');
  expect(head).toMatch(/^sequence,id,.*,occurred_at,sentence$/);
  expect(
    rows.slice(0, -1).map((row) => /deploy-bot,(.*?),agent,deploy-bot/s.exec(row)?.[1]),
  ).toEqual([
    `"'=1+1"`,
    `"'+1"`,
    `"'-1"`,
    `"'@x"`,
    `"'\tx"`,
    `"' =1"`,
    `"'＝1"`,
    '"a,""b""\nc"',
    `"a;'=1"`,
    `"a\n ""'-1;;'+2"`,
    'a;b',
    'plain',
  ]);
});

test('a chain that was replaced is found with a checkpoint that someone kept', async () => {
  const other = await createOrganization(app);
  const eve = await createMember(app, other.id, { policies: [everywhere('audit.read')] });
  await record(db, other.id, { count: 5 });
  await sealAll(context);
  const [kept] = await listCheckpoints(db, other.id, { before: undefined, limit: 1 });
  if (!kept) throw new Error('no checkpoint');
  // Someone who administers the database and has the key takes one event out and seals the rest again.
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    for (const table of ['audit_chain', 'audit_checkpoints'])
      await trx(table).where({ organization_id: other.id }).delete();
    await trx.raw(
      'delete from audit_events where sequence = (select min(sequence) from audit_events where organization_id = ?)',
      [other.id],
    );
    await trx.raw('update audit_horizon set sealed_to = 0');
  });
  // A process that remembers nothing signs it.
  const forgetful = { ...context, signedEnds: new SignedEnds(undefined) };
  const exported = async (): Promise<string> => {
    await sealAll(forgetful);
    const request = {
      organizationId: other.id,
      actor: SYSTEM,
      filter: {},
      format: 'ndjson',
    } as const;
    return await text(
      Readable.from(await exportAuditLog(forgetful, { ...request, withProof: true })),
    );
  };
  const shorter = await exported();
  expect(await problemOf(shorter, KNOWN)).toBe('nothing');
  const another = `yours of that number is another, of position ${kept.position}`;
  expect(await problemOf(shorter, keeping(kept))).toContain(another);
  // An earlier release signed it without a number.
  const old = { ...kept, link: undefined };
  expect(await problemOf(shorter, { keys: new Map(), kept: [old] })).toContain(
    `you keep a checkpoint of position ${kept.position}`,
  );
  // The process that signed the other one does not.
  const refused = await eve.http.get(`${EXPORT}?proof=true`);
  expect(await problemOf(refused.text, KNOWN)).toContain('Line 1 is not signed');
  await record(db, other.id, { count: 5 });
  const longer = await exported();
  expect(await problemOf(longer, keeping(kept))).toContain(another);
  expect(await problemOf(longer, { keys: new Map(), kept: [old] })).toContain(
    `Position ${kept.position}: your checkpoint has another hash`,
  );
  // One of the new chain, kept later beside it, does not hide it.
  const { hash } = await db('audit_chain')
    .where({ organization_id: other.id, position: kept.position })
    .first<{ hash: Buffer }>('hash');
  const both = { keys: new Map(), kept: [old, { ...old, hash }] };
  expect(await problemOf(longer, both)).toContain('your checkpoint has another hash');
});

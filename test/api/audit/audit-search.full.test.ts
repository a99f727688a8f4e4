/** `q` of the audit log and of its export: a reader finds the text that they see. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createIndexer } from '../../../src/services/audit/indexer.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { needsPairs } from '../../../src/data/audit/pairs.ts';
import { scene } from '../../support/scene.ts';
import { auditPath, HOSTED, write } from './audit-events-scene.ts';

const { app, people, organization } = await scene({
  app: HOSTED,
  people: { ada: ['audit.read'] },
});
const { http } = people.ada;
const TYPE = 'search.tried';

/** The subjects of the events that the list and the export find, which must agree. */
async function found(q: string): Promise<readonly string[]> {
  const { body } = await http.get(auditPath({ q, event_type: TYPE, order: 'asc' }));
  const query = new URLSearchParams({ q, event_type: TYPE });
  const { text } = await http.get(`/api/v1/audit/export?${query.toString()}`);
  const exported = text
    .split('\n')
    .slice(0, -1)
    .map((line) => String((JSON.parse(line) as { subject_id: unknown }).subject_id));
  const listed = [...(body['events'] ?? [])].map((event) => String(event['subject_id']));
  expect([...exported].sort()).toEqual([...listed].sort());
  return listed;
}

const index = async () => {
  await sealAll(app.context);
  await createIndexer(app.context).index([organization.id]);
};

const SEEN = [
  ['quotes', String.raw`{"note":"they said \"yes\" twice"}`, 'said "yes" twice'],
  ['backslash', String.raw`{"path":"C:\\temp\\new"}`, String.raw`c:\temp\NEW`],
  ['before n', String.raw`{"path":"\\\\nas"}`, String.raw`\\nas`],
  ['lines', String.raw`{"note":"first\nsecond"}`, 'first\nsecond'],
  ['tab', String.raw`{"note":"left\tright"}`, 'left\tright'],
  ['slash', String.raw`{"url":"https:\/\/example.com"}`, 'https://example'],
  ['escaped', String.raw`{"name":"Z\u00fcrich \u4e2d\u6587"}`, 'ZÜRICH 中文'],
  ['pair', String.raw`{"mood":"so \uD83D\ude00 so"}`, 'so 😀 so'],
  ['half', String.raw`{"odd":"\ud83d \u0000\udE00 \"left\" \\ud83d"}`, '"left" \\ud83d'],
  ['raw', String.raw`{"name":"Z\u00fcrich"}`, String.raw`\u00fcrich"}`],
] as const;

test('it finds what JSON escapes, before and after an event is indexed', async () => {
  await write(
    app.db,
    organization.id,
    SEEN.map(([subjectId, data]) => ({ eventType: TYPE, subjectId, data })),
  );
  const all = async () =>
    await Promise.all(SEEN.map(async ([id, , q]) => [id, (await found(q)).includes(id)] as const));
  const expected = SEEN.map(([id]) => [id, true]);
  expect(await all()).toEqual(expected);
  await index();
  expect(await all()).toEqual(expected);
  expect(await found('"no such" text')).toEqual([]);
});

test('it finds any text in any spelling that JSON has for it', async () => {
  const spell = (character: string, way: number): string => {
    if (way === 0) return JSON.stringify(character).slice(1, -1);
    return [...Array(character.length).keys()]
      .map((at) => character.charCodeAt(at).toString(16).padStart(4, '0'))
      .map((code) => String.raw`\u${way === 1 ? code : code.toUpperCase()}`)
      .join('');
  };
  const character = fc.constantFrom(...String.raw`ab1 "\/€üÜ😀u`, '\n', '\r', '\t', '\b', '\f');
  const text = fc.array(fc.tuple(character, fc.nat(2)), { minLength: 2, maxLength: 12 });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), async (characters, isIndexed) => {
      const subjectId = `any-${(count += 1)}`;
      const note = characters.map(([each, way]) => spell(each, way)).join('');
      await write(app.db, organization.id, [
        { eventType: TYPE, subjectId, data: `{"note":"${note}"}` },
      ]);
      if (isIndexed) await index();
      expect(await found(characters.map(([each]) => each).join(''))).toContain(subjectId);
    }),
    { numRuns: 40 },
  );
});

test('it looks up by trigrams what has any: pairs of a time or a date are nearly everywhere', async () => {
  const notes = Array.from({ length: 200 }, (_, at) => (at === 7 ? 'at 12:30' : 'at 13:20, 2:31'));
  await write(
    app.db,
    organization.id,
    notes.map((note, at) => ({
      eventType: 'search.timed',
      subjectId: `time-${at}`,
      data: JSON.stringify({ note }),
    })),
  );
  await index();
  const lookedUp = async (q: string): Promise<number> =>
    await app.db.transaction(async (trx) => {
      await trx.raw('set local enable_seqscan = off');
      const { rows } = await trx.raw<{ rows: { 'QUERY PLAN': string }[] }>(
        `explain analyze select from audit_index where words like '%${q}%'`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return Number(/Index Scan on audit_index_words_idx.* rows=(\d+)/.exec(plan)?.[1]);
    });
  const all = await app.db('audit_index').pluck('sequence');
  for (const q of ['12:30', '31-12', '"30', ':30', '30"']) {
    expect([q, needsPairs(q)]).toEqual([q, false]);
    expect(await lookedUp(q)).toBeLessThan(all.length);
  }
  for (const q of ['12', '1:3', '::', '中文', '文12'])
    expect([q, needsPairs(q)]).toEqual([q, true]);
  const { body } = await http.get(auditPath({ q: '12:30' }));
  expect([...(body['events'] ?? [])].map((event) => String(event['subject_id']))).toEqual([
    'time-7',
  ]);
});

test('it finds two characters, signs and letters of any script wherever they are in a long log', async () => {
  const notes = Array.from({ length: 200 }, (_, at) => (at % 61 === 7 ? 'x 中文 😀 z1.' : 'none'));
  await write(
    app.db,
    organization.id,
    notes.map((note, at) => ({
      eventType: TYPE,
      subjectId: `long-${at}`,
      data: JSON.stringify({ note }),
    })),
  );
  await index();
  const { rows } = await app.db.raw<{ rows: unknown[] }>('select from audit_pairs');
  expect(rows.length).toBeGreaterThan(2);
  const expected = ['long-129', 'long-190', 'long-68', 'long-7'];
  for (const q of ['中文', '文 ', 'Z1', '1."', '文 😀']) {
    const subjects = (await found(q)).filter((id) => id.startsWith('long-'));
    expect([q, ...subjects.sort()]).toEqual([q, ...expected]);
  }
  expect(await found('文中')).toEqual([]);
});

/** What a pipeline document may contain, and what is stored of it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import { exactEquals, type ExactValue } from '../../../src/platform/json/exact-values.ts';
import { appForFile } from '../../support/scene.ts';
import { activatePath, createOrganization } from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { issuesOf } from '../../support/refusals.ts';
import { always, cel, ORGANIZATION, path } from '../../support/scene/request-approval-pipelines.ts';

let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile();

async function freshOrganization() {
  organization = await createOrganization(app);
  owner = organization.owner;
}

const create = (document: unknown, base = ORGANIZATION) =>
  owner.http.post(`${base}/revisions`, document);

const activate = (
  revision: number | string,
  ifMatch: string | undefined,
  { base = ORGANIZATION, member = owner } = {},
) =>
  member.http.post(`${base}/revisions/${revision}/activate`, undefined, {
    headers: { ...(ifMatch && { 'if-match': ifMatch }) },
  });

describe('documents', () => {
  beforeAll(freshOrganization);

  test('numbers in conditions keep their decimal value when stored and read', async () => {
    const value = '[9007199254740993, 0.1000000000000000055511151231257827, 1e400, -0.5, 12]';
    const document = `{"blocks":[${JSON.stringify(cel('exact', { id: 'c', field: '/request/arguments/x', operator: 'in', value: '@' })).replace('"@"', value)}]}`;
    const created = await create(document);
    expect(created.status).toBe(201);
    const read = await owner.http.get(
      `${ORGANIZATION}/revisions/${String(created.body['revision'])}`,
    );
    for (const answer of [created, read]) {
      expect(answer.text).toContain(
        '"value":[9007199254740993,0.1000000000000000055511151231257827,1e400,-0.5,12]',
      );
    }
  });

  test.each([
    ['a small document', ''],
    ['a large document', ' '.repeat(70_000)],
  ])('numbers in conditions stay as they were spelled: %s', async (_name, padding) => {
    const value = '[1.0,1e21,1E2,-0,1.50e-7,0.0,100,{"a":[2.00]}]';
    const documentOf = (numbers: string) =>
      `{"blocks":[${JSON.stringify(cel('spelled', { id: 'c', field: '/request/arguments/x', operator: 'in', value: '@' })).replace('"@"', numbers)}]${padding}}`;
    const created = await create(documentOf(value));
    expect(created.status).toBe(201);
    const revision = String(created.body['revision']);
    const read = await owner.http.get(`${ORGANIZATION}/revisions/${revision}`);
    for (const answer of [created, read]) expect(answer.text).toContain(`"value":${value}`);

    const other = '[1,1000000000000000000000,100.0,0,0.00000015,0,1e2,{"a":[2]}]';
    const respelled = await create(documentOf(other));
    expect(respelled.text).toContain(`"value":${other}`);
    const [before, after] = [read, respelled].map(({ body }) => body['blocks']?.[0]);
    expect(after?.['content_hash']).toBe(before?.['content_hash']);
    expect(after?.['snapshot_id']).toBe(before?.['snapshot_id']);
    const next = String(respelled.body['revision']);
    const diff = await owner.http.get(`${ORGANIZATION}/revisions/${next}/diff?against=${revision}`);
    expect(diff.body).toMatchObject({ added: [], removed: [], changed: [] });
    const third = await create(documentOf('[2.0]'));
    const changes = await owner.http.get(
      `${ORGANIZATION}/revisions/${String(third.body['revision'])}/diff?against=${revision}`,
    );
    expect(changes.text).toContain(`"before":${value},"after":[2.0]`);
  });

  test('integers of a document may be spelled as decimals', async () => {
    const document = (attempts: string) =>
      JSON.stringify({ blocks: [{ ...always(), max_attempts: '@' }] }).replace('"@"', attempts);
    expect((await create(document('2.0'))).body['blocks']).toMatchObject([{ max_attempts: 2 }]);
    for (const attempts of ['2.5', '2.00000000000000000001', '1e400'])
      expect(issuesOf(await create(document(attempts)))).toMatchObject([
        { pointer: '/blocks/0/max_attempts', code: 'invalid_value' },
      ]);
  });

  test('any JSON value in a condition comes back equal, in any notation of its numbers', async () => {
    const digits = fc.stringMatching(
      /^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?$/,
    );
    const text = fc
      .string({ unit: 'grapheme' })
      .map((one) => JSON.stringify(one.replaceAll('\0', '')));
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        digits,
        text,
        fc.constantFrom('null', 'true', 'false'),
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        fc
          .uniqueArray(fc.tuple(text, tie('value')), { maxLength: 4, selector: ([key]) => key })
          .map((members) => {
            return `{${members.map(([key, member]) => `${key}:${member}`).join(',')}}`;
          }),
      ),
    }));
    const oneValue = async (sent: string) => {
      const block = JSON.stringify(
        cel('any', { id: 'c', field: '/request/arguments/x', operator: 'equals', value: 0 }),
      );
      const created = await create(
        `{"blocks":[${block.replace('"value":0', () => `"value":${sent}`)}]}`,
      );
      expect(created.status).toBe(201);
      const read = parseExact(created.text) as unknown as {
        blocks: [{ config: { when: { value: ExactValue } } }];
      };
      expect(exactEquals(read.blocks[0].config.when.value, parseExact(sent))).toBe(true);
    };
    await fc.assert(fc.asyncProperty(value, oneValue), { numRuns: 20 });
  });

  test('a condition of every shape comes back as sent', async () => {
    const leaf = (id: string, field = '/request/tool') => ({
      id,
      field,
      operator: 'matches',
      value: '^r',
    });
    const when = {
      id: 'root',
      all: [
        leaf('leaf'),
        {
          id: 'any',
          any: [{ id: 'x', field: '/request/context/a~1b', operator: 'not_exists' }, leaf('y')],
        },
        {
          id: 'some',
          some: { field: '/request/arguments/items', condition: leaf('z', '/item/name') },
        },
        {
          id: 'every',
          every: {
            field: '/request/arguments/items',
            condition: { id: 'in', field: '/item', operator: 'in', value: [null, {}] },
          },
        },
      ],
    };
    const created = await create({ blocks: [cel('all-shapes', when)] });
    expect(created.status).toBe(201);
    expect(created.body['blocks']?.[0]?.['config']?.['when']).toEqual(when);
  });

  test('an unchanged block keeps its snapshot_id from the latest revision, a changed one gets a new one', async () => {
    const first = await create({ blocks: [always('a'), always('b')] });
    const second = await create({ blocks: [always('b', { reason: 'Never.' }), always('a')] });
    const snapshot = (answer: typeof first, id: string) =>
      (answer.body['blocks'] as unknown as { id: string; snapshot_id: string }[]).find(
        (block) => block.id === id,
      )?.snapshot_id;
    expect(snapshot(second, 'a')).toBe(snapshot(first, 'a'));
    expect(snapshot(second, 'b')).not.toBe(snapshot(first, 'b'));
  });

  test.each([
    [{}, '/blocks', 'required'],
    [{ blocks: {} }, '/blocks', 'invalid_type'],
    [{ blocks: [], extra: 1 }, '/extra', 'unknown_field'],
    [{ blocks: [{ ...always(), type: 'pigeon' }] }, '/blocks/0/type', 'unknown_block_type'],
    [{ blocks: [{ ...always(), type: 'llm_judge' }] }, '/blocks/0/type', 'unknown_block_type'],
    [{ blocks: [always('a'), always('a')] }, '/blocks/1/id', 'duplicate_id'],
    [
      { blocks: [always('a', { escalation_path: 'x' })] },
      '/blocks/0/config/escalation_path',
      'invalid_value',
    ],
    [{ blocks: [cel('a', { id: 'c', all: [] })] }, '/blocks/0/config/when/all', 'invalid_value'],
    [{ blocks: [{ ...always(), timeout: '31s' }] }, '/blocks/0/timeout', 'invalid_value'],
    [[], '', 'invalid_type'],
    ['null', '', 'invalid_type'],
  ])('refuses %j with a pointer', async (document, pointer, code) => {
    const answer = await create(document);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toEqual([expect.objectContaining({ pointer, code })]);
  });

  test('an unknown block type has its own error code', async () => {
    expect((await create({ blocks: [{ ...always(), type: 'pigeon' }] })).body).toMatchObject({
      error: { code: 'unknown_block_type' },
    });
  });

  test('every escalation path that it names must exist, and a pointer names each missing one', async () => {
    const human = always('ask', { outcome: 'human', escalation_path: 'nowhere' });
    const answer = await create({
      blocks: [always('a'), human],
      default_escalation_path: 'neither',
    });
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toMatchObject([
      { pointer: '/blocks/1/config/escalation_path', code: 'unknown_escalation_path' },
      { pointer: '/default_escalation_path', code: 'unknown_escalation_path' },
    ]);
  });

  test('activation needs every named path to be active, and names the others', async () => {
    await owner.http.post('/api/v1/escalation-paths', path('sleeping'));
    await activatePath(owner, path('awake'));
    const human = always('ask', { outcome: 'human', escalation_path: 'sleeping' });
    const created = await create({ blocks: [human], default_escalation_path: 'awake' });
    const revision = Number(created.body['revision']);
    const refused = await activate(revision, created.headers['etag']);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      error: { code: 'escalation_path_inactive', details: { escalation_paths: ['sleeping'] } },
    });
    await owner.http.post('/api/v1/escalation-paths/sleeping/revisions/1/activate', undefined, {
      headers: { 'if-match': '"0"' },
    });
    expect((await activate(revision, created.headers['etag'])).status).toBe(200);
  });
});

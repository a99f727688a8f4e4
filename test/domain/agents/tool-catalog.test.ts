/** What a report changes, compared with the one before. */
import { describe, expect, test } from '@jest/globals';
import {
  planToolReport,
  reportedTool,
  type ReportedSource,
  type StoredSource,
  type ToolReport,
} from '../../../src/domain/agents/tool-catalog.ts';
import { JsonText } from '../../../src/platform/json/exact-json.ts';

const toolOf = (name: string, schema?: string) =>
  reportedTool({ name, ...(schema !== undefined && { input_schema: new JsonText(schema) }) });

const sourceOf = (more: Partial<ReportedSource>): ReportedSource => ({
  source: 'mcp',
  server: 'billing',
  complete: true,
  tools: [],
  ...more,
});

const reportOf = (sources: readonly ReportedSource[], complete = true): ToolReport => ({
  runtime: 'tests',
  discoveryContext: 'here',
  complete,
  sources,
});

/** As the database has it after a report. `away`: tools that were removed since. */
const storedFrom = (source: ReportedSource, away: readonly string[] = []): StoredSource => ({
  id: `source ${source.server ?? ''}`,
  source: source.source,
  server: source.server ?? null,
  tools: source.tools.map((tool) => ({
    id: `id of ${tool.name}`,
    name: tool.name,
    schemaFingerprint: tool.schemaFingerprint ?? null,
    definitionDigest: tool.definitionDigest,
    removed: away.includes(tool.name),
  })),
});

describe('the fingerprint of a schema', () => {
  const fingerprint = (schema: string) => toolOf('refund', schema).schemaFingerprint;

  test('is the SHA-256 of its canonical JSON', () => {
    expect(fingerprint('{}')).toBe(
      '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    );
  });

  test('ignores white space and the order of keys', () => {
    expect(fingerprint('{ "a": 1, "b": [2] }')).toBe(fingerprint('{"b":[2],"a":1.0}'));
    expect(fingerprint('{"a":1}')).not.toBe(fingerprint('{"a":2}'));
  });

  test('sees digits that a double would lose', () => {
    expect(fingerprint('{"maximum":9007199254740993}')).not.toBe(
      fingerprint('{"maximum":9007199254740992}'),
    );
  });

  test('is absent for an unknown schema', () => {
    expect(toolOf('refund').schemaFingerprint).toBeUndefined();
  });
});

describe('a report', () => {
  const before = sourceOf({ tools: [toolOf('refund', '{"a":1}'), toolOf('charge')] });
  const plan = (report: ToolReport, stored = [storedFrom(before)]) =>
    planToolReport(report, stored);

  test('that says the same again changes nothing', () => {
    expect(plan(reportOf([before]))).toEqual({
      write: [],
      unchanged: ['id of refund', 'id of charge'],
      removedTools: [],
      removedSources: [],
      schemaChanges: [],
    });
  });

  test('removes the tools that a complete source no longer has', () => {
    const now = sourceOf({ tools: [toolOf('charge')] });
    expect(plan(reportOf([now]))).toMatchObject({
      unchanged: ['id of charge'],
      removedTools: ['id of refund'],
      removedSources: [],
    });
  });

  test.each<[string, Partial<ReportedSource>]>([
    ['an incomplete source', { complete: false }],
    ['a source that failed', { error: 'timeout' }],
  ])('removes nothing of %s', (_what, more) => {
    expect(plan(reportOf([sourceOf(more)]))).toMatchObject({ removedTools: [], unchanged: [] });
  });

  test('removes the sources it leaves out, only when it is complete', () => {
    const removedTools = ['id of refund', 'id of charge'];
    const removedSources = ['source billing'];
    expect(plan(reportOf([]))).toMatchObject({ removedTools, removedSources });
    expect(plan(reportOf([], false))).toMatchObject({ removedTools: [], removedSources: [] });
  });

  test('tells sources apart by kind and server', () => {
    const other = sourceOf({ server: 'billing-2', tools: before.tools });
    const { write, unchanged, removedTools } = plan(reportOf([other], false));
    expect([write.length, unchanged, removedTools]).toEqual([2, [], []]);
  });

  test('writes a schema with other white space, without calling it changed', () => {
    const now = sourceOf({ tools: [toolOf('refund', '{ "a": 1 }'), toolOf('charge')] });
    const { write, schemaChanges } = plan(reportOf([now]));
    expect(write.map(({ tool, id }) => [tool.name, id])).toEqual([['refund', 'id of refund']]);
    expect(schemaChanges).toEqual([]);
  });

  test('names a changed schema, also one that comes or goes', () => {
    const now = sourceOf({ tools: [toolOf('refund'), toolOf('charge', '{}')] });
    expect(plan(reportOf([now])).schemaChanges).toEqual([
      {
        toolId: 'id of refund',
        source: now,
        name: 'refund',
        before: before.tools[0]?.schemaFingerprint,
        after: undefined,
      },
      {
        toolId: 'id of charge',
        source: now,
        name: 'charge',
        before: null,
        after: now.tools[1]?.schemaFingerprint,
      },
    ]);
  });

  test('writes a tool that comes back, and notices what changed meanwhile', () => {
    const stored = [storedFrom(before, ['refund'])];
    const same = plan(reportOf([before]), stored);
    expect(same).toMatchObject({ unchanged: ['id of charge'], schemaChanges: [] });
    expect(same.write.map(({ id }) => id)).toEqual(['id of refund']);
    const changed = sourceOf({ tools: [toolOf('refund', '{"a":2}')] });
    const { schemaChanges, removedTools } = plan(reportOf([changed]), stored);
    expect(schemaChanges.map(({ name }) => name)).toEqual(['refund']);
    expect(removedTools).toEqual(['id of charge']);
  });
});

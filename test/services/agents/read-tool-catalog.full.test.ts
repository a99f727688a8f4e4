/** Reports of tools are read part by part, and every problem has its place. */
import { describe, expect, test } from '@jest/globals';
import {
  readToolReport,
  type ReportTexts,
} from '../../../src/services/agents/read-tool-catalog.ts';

const HEAD = { runtime: '"tests"', discovery_context: '"here"' };

const read = (sources: unknown, more: ReportTexts = {}) =>
  readToolReport({
    ...HEAD,
    sources: typeof sources === 'string' ? sources : JSON.stringify(sources),
    ...more,
  });

function issuesOf(answer: ReturnType<typeof readToolReport>): (readonly [string, string])[] {
  if ('report' in answer) throw new Error('the report was accepted');
  return answer.issues.map(({ pointer, code }) => [pointer, code] as const);
}

const builtin = (...tools: unknown[]) => [{ source: 'builtin', tools }];

test('a report is read with its defaults, and its schemas keep their text', () => {
  const schema = '{ "maximum": 1.000000000000000000001, "x": "\\u0000\\ud800" }';
  const answer = read(
    `[ {"tools":[ {"name":"refund", "input_schema": ${schema} , "annotations":{"read_only_hint":true}} ],"source":"mcp","server":"b"} ]`,
  );
  expect(answer).toEqual({
    report: {
      runtime: 'tests',
      discoveryContext: 'here',
      complete: true,
      sources: [
        {
          source: 'mcp',
          server: 'b',
          complete: true,
          tools: [
            {
              name: 'refund',
              displayName: undefined,
              description: undefined,
              inputSchema: schema,
              annotations: '{"read_only_hint":true}',
              schemaFingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
              definitionDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
            },
          ],
        },
      ],
    },
  });
});

test('a source that failed needs no tools', () => {
  expect(read([{ source: 'mcp', server: 'b', error: 'no answer' }])).toMatchObject({
    report: { sources: [{ error: 'no answer', tools: [] }] },
  });
});

describe('a problem has its place:', () => {
  const long = 'x'.repeat(300 * 1024);
  test.each<[string, unknown, readonly (readonly [string, string])[]]>([
    ['no list', '{}', [['/sources', 'invalid_type']]],
    ['null', 'null', [['/sources', 'invalid_type']]],
    ['no object', [1], [['/sources/0', 'invalid_type']]],
    [
      'an empty source',
      [{}],
      [
        ['/sources/0/source', 'required'],
        ['/sources/0/tools', 'required'],
      ],
    ],
    [
      'an unknown kind of source',
      [{ source: 'gateway', tools: [] }],
      [['/sources/0/source', 'invalid_value']],
    ],
    [
      'an unknown member',
      [{ source: 'builtin', tools: [], more: 1 }],
      [['/sources/0/more', 'unknown_field']],
    ],
    [
      'a server of built-in tools',
      [{ source: 'builtin', tools: [], server: 'b' }],
      [['/sources/0/server', 'invalid_value']],
    ],
    ['no server', [{ source: 'mcp', tools: [] }], [['/sources/0/server', 'required']]],
    [
      'null for an optional member',
      [{ source: 'builtin', tools: [], error: null }],
      [['/sources/0/error', 'invalid_type']],
    ],
    ['a source twice', [...builtin(), ...builtin()], [['/sources/1', 'duplicate_source']]],
    [
      'a tool twice',
      builtin({ name: 'a' }, { name: 'b' }, { name: 'a' }),
      [['/sources/0/tools/2/name', 'duplicate_tool']],
    ],
    ['no tool', builtin('Bash'), [['/sources/0/tools/0', 'invalid_type']]],
    ['no name', builtin({}), [['/sources/0/tools/0/name', 'required']]],
    [
      'an invisible name',
      builtin({ name: '\u202e\u200b' }),
      [['/sources/0/tools/0/name', 'invalid_value']],
    ],
    ['NUL in a name', builtin({ name: 'a\0' }), [['/sources/0/tools/0/name', 'invalid_value']]],
    [
      'a long name',
      builtin({ name: 'x'.repeat(513) }),
      [['/sources/0/tools/0/name', 'invalid_value']],
    ],
    [
      'a schema that is no object',
      builtin({ name: 'a', input_schema: [] }),
      [['/sources/0/tools/0/input_schema', 'invalid_value']],
    ],
    [
      'a schema over 256 KiB',
      builtin({ name: 'a', input_schema: { long } }),
      [['/sources/0/tools/0/input_schema', 'invalid_value']],
    ],
    [
      'annotations over any size',
      builtin({ name: 'a', annotations: { long } }),
      [['/sources/0/tools/0/annotations', 'invalid_type']],
    ],
    [
      'an unknown annotation',
      builtin({ name: 'a', annotations: { safe: true } }),
      [['/sources/0/tools/0/annotations/safe', 'unknown_field']],
    ],
    [
      '501 sources',
      Array.from({ length: 501 }, (_, index) => ({ source: 'mcp', server: `${index}`, tools: [] })),
      [['/sources', 'too_many']],
    ],
    [
      '2,001 tools of a source',
      builtin(...Array.from({ length: 2_001 }, (_, index) => ({ name: `${index}` }))),
      [['/sources/0/tools', 'too_many']],
    ],
    [
      '2,001 tools of two sources',
      ['a', 'b'].map((server, at) => ({
        source: 'mcp',
        server,
        tools: Array.from({ length: 1_000 + at }, (_, index) => ({ name: `${index}` })),
      })),
      [['/sources/1/tools', 'too_many']],
    ],
  ])('%s', (_what, sources, expected) => {
    expect(issuesOf(read(sources))).toEqual(expected);
  });

  test('2,000 tools and 256 KiB of schema fit', () => {
    const exact = `{"x":"${'x'.repeat(256 * 1024 - 8)}"}`;
    expect(Buffer.byteLength(exact)).toBe(256 * 1024);
    const tools = Array.from({ length: 1_999 }, (_, index) => `{"name":"${index}"}`);
    tools.push(`{"name":"large","input_schema":${exact}}`);
    expect(read(`[{"source":"builtin","tools":[${tools.join(',')}]}]`)).toHaveProperty('report');
  });

  test('of the head, and with it those of the sources', () => {
    expect(
      issuesOf(readToolReport({ sources: '[1]', complete: '"yes"', runtime: '[[]]' })),
    ).toEqual([
      ['/discovery_context', 'required'],
      ['/runtime', 'invalid_type'],
      ['/complete', 'invalid_type'],
      ['/sources/0', 'invalid_type'],
    ]);
  });

  test('at most 100 of them', () => {
    expect(issuesOf(read(Array.from({ length: 400 }, () => 1)))).toHaveLength(100);
  });
});

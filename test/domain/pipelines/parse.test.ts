/** Which pipeline documents are accepted, and how blocks are stored. */
import { describe, expect, test } from '@jest/globals';
import {
  namedEscalationPaths,
  parsePipelineDocument,
} from '../../../src/domain/pipelines/parse.ts';
import { keepSnapshots, storeBlocks } from '../../../src/domain/pipelines/store.ts';
import type { PipelineDocument, StoredBlock } from '../../../src/domain/pipelines/types.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';

const always = {
  id: 'gate',
  name: 'Gate',
  type: 'always',
  config: { outcome: 'human', reason: 'Because.' },
};
const cel = {
  id: 'small',
  name: 'Small payments',
  type: 'cel',
  config: {
    when: { id: 'c1', field: '/request/arguments/amount', operator: 'less_than', value: 10 },
    on_match: 'approve',
    reason: 'Small.',
  },
};

function issuesOf(body: unknown): string[] {
  const parsed = parsePipelineDocument(parseExact(stringifyExact(body)));
  return parsed.ok ? [] : parsed.issues.map((issue) => `${issue.pointer} ${issue.code}`);
}

function parsed(body: unknown): PipelineDocument {
  const result = parsePipelineDocument(
    parseExact(typeof body === 'string' ? body : stringifyExact(body)),
  );
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.document;
}

describe('parsePipelineDocument', () => {
  test('fills in the defaults of the envelope', () => {
    expect(parsed({ blocks: [always] }).blocks[0]).toEqual({
      ...always,
      enabled: true,
      timeout: '5s',
      max_attempts: 1,
    });
    expect(parsed({ blocks: [] })).toEqual({ blocks: [] });
  });

  test('keeps every given value, including its digits', () => {
    const text = `{"blocks":[{"id":"b","name":"B","type":"cel","config":{"when":{"id":"c","field":"/request/tool","operator":"equals","value":9007199254740993},"on_match":"human","reason":"r","escalation_path":"path"},"enabled":false,"timeout":"30s","max_attempts":5}],"default_escalation_path":"ops"}`;
    expect(JSON.parse(stringifyExact(parsed(text)))).toEqual(JSON.parse(text));
    expect(stringifyExact(parsed(text))).toContain('9007199254740993');
  });

  test.each([
    ['a list as body', [], [' invalid_type']],
    ['no blocks', {}, ['/blocks required']],
    ['blocks that are no list', { blocks: {} }, ['/blocks invalid_type']],
    ['an unknown member of the body', { blocks: [], name: 'x' }, ['/name unknown_field']],
    [
      'a malformed default path',
      { blocks: [], default_escalation_path: 'No Key' },
      ['/default_escalation_path invalid_value'],
    ],
    [
      'a null default path',
      { blocks: [], default_escalation_path: null },
      ['/default_escalation_path invalid_type'],
    ],
    ['a block that is no object', { blocks: [1] }, ['/blocks/0 invalid_type']],
    [
      'an unknown block type',
      { blocks: [cel, { ...always, type: 'webhook' }] },
      ['/blocks/1/type unknown_block_type'],
    ],
    [
      'a branch',
      { blocks: [{ ...always, type: 'branch', config: { blocks: [] } }] },
      ['/blocks/0/type unknown_block_type'],
    ],
    [
      'a type that is no string',
      { blocks: [{ ...always, type: ['always'] }] },
      ['/blocks/0/type unknown_block_type'],
    ],
    [
      'a block without type',
      { blocks: [{ id: 'a', name: 'A', config: {} }] },
      ['/blocks/0/type required'],
    ],
    [
      'an unknown member of a block',
      { blocks: [{ ...always, snapshot_id: 'x' }] },
      ['/blocks/0/snapshot_id unknown_field'],
    ],
    ['a malformed id', { blocks: [{ ...always, id: '-x' }] }, ['/blocks/0/id invalid_value']],
    [
      'an id of 64 characters',
      { blocks: [{ ...always, id: 'x'.repeat(64) }] },
      ['/blocks/0/id invalid_value'],
    ],
    ['an empty name', { blocks: [{ ...always, name: '' }] }, ['/blocks/0/name invalid_value']],
    [
      'a name of 201 characters',
      { blocks: [{ ...always, name: 'x'.repeat(201) }] },
      ['/blocks/0/name invalid_value'],
    ],
    [
      'a name of two lines',
      { blocks: [{ ...always, name: 'a\nb' }] },
      ['/blocks/0/name invalid_value'],
    ],
    [
      'a name that changes the direction of writing',
      { blocks: [{ ...always, name: 'Gate \u202eX' }] },
      ['/blocks/0/name invalid_value'],
    ],
    [
      'a timeout of half a minute and a second',
      { blocks: [{ ...always, timeout: '31s' }] },
      ['/blocks/0/timeout invalid_value'],
    ],
    [
      'a timeout in another grammar',
      { blocks: [{ ...always, timeout: '1.5s' }] },
      ['/blocks/0/timeout invalid_value'],
    ],
    [
      'a timeout that is a number',
      { blocks: [{ ...always, timeout: 5 }] },
      ['/blocks/0/timeout invalid_type'],
    ],
    [
      'six attempts',
      { blocks: [{ ...always, max_attempts: 6 }] },
      ['/blocks/0/max_attempts invalid_value'],
    ],
    [
      'one and a half attempts',
      { blocks: [{ ...always, max_attempts: 1.5 }] },
      ['/blocks/0/max_attempts invalid_value'],
    ],
    [
      'an enabled that is no boolean',
      { blocks: [{ ...always, enabled: 'yes' }] },
      ['/blocks/0/enabled invalid_type'],
    ],
    [
      'always with next',
      { blocks: [{ ...always, config: { outcome: 'next', reason: 'r' } }] },
      ['/blocks/0/config/outcome invalid_value'],
    ],
    [
      'a missing reason',
      { blocks: [{ ...always, config: { outcome: 'deny' } }] },
      ['/blocks/0/config/reason required'],
    ],
    [
      'a reason of 2001 characters',
      { blocks: [{ ...always, config: { outcome: 'deny', reason: 'x'.repeat(2_001) } }] },
      ['/blocks/0/config/reason invalid_value'],
    ],
    [
      'an escalation path without human',
      { blocks: [{ ...always, config: { outcome: 'deny', reason: 'r', escalation_path: 'p' } }] },
      ['/blocks/0/config/escalation_path invalid_value'],
    ],
    [
      'an escalation path on a cel block that approves',
      { blocks: [{ ...cel, config: { ...cel.config, escalation_path: 'p' } }] },
      ['/blocks/0/config/escalation_path invalid_value'],
    ],
    [
      'an unknown member of a config',
      { blocks: [{ ...always, config: { ...always.config, when: 1 } }] },
      ['/blocks/0/config/when unknown_field'],
    ],
    [
      'a cel block without condition',
      { blocks: [{ ...cel, config: { on_match: 'deny', reason: 'r' } }] },
      ['/blocks/0/config/when required'],
    ],
    [
      'a wrong condition',
      { blocks: [{ ...cel, config: { ...cel.config, when: { id: 'c', all: [] } } }] },
      ['/blocks/0/config/when/all invalid_value'],
    ],
    ['two blocks with one id', { blocks: [always, { ...always }] }, ['/blocks/1/id duplicate_id']],
    [
      'a condition with the id of a block',
      {
        blocks: [
          always,
          { ...cel, config: { ...cel.config, when: { ...cel.config.when, id: 'gate' } } },
        ],
      },
      ['/blocks/1/config/when/id duplicate_id'],
    ],
    [
      'one condition id in two blocks',
      { blocks: [cel, { ...cel, id: 'other' }] },
      ['/blocks/1/config/when/id duplicate_id'],
    ],
    ['NUL in a name', { blocks: [{ ...always, name: 'a\0b' }] }, ['/blocks/0/name invalid_value']],
    [
      'half a surrogate pair in a reason',
      { blocks: [{ ...always, config: { outcome: 'deny', reason: 'a\ud800' } }] },
      ['/blocks/0/config/reason invalid_value'],
    ],
    [
      'NUL in the key of a value',
      {
        blocks: [
          {
            ...cel,
            config: {
              ...cel.config,
              when: { ...cel.config.when, operator: 'equals', value: { 'k\0': 1 } },
            },
          },
        ],
      },
      ['/blocks/0/config/when/value/k\0 invalid_value'],
    ],
  ])('refuses %s', (_what, body, issues) => {
    expect(issuesOf(body)).toEqual(issues);
  });

  test('accepts 1,000 blocks and refuses 1,001', () => {
    const blocks = (count: number): unknown => ({
      blocks: Array.from({ length: count }, (_none, index) => ({ ...always, id: `b${index}` })),
    });
    expect(issuesOf(blocks(1_000))).toEqual([]);
    expect(issuesOf(blocks(1_001))).toEqual(['/blocks too_many']);
  });

  test('counts the leaves of all blocks together', () => {
    const block = (index: number): unknown => ({
      ...cel,
      id: `b${index}`,
      config: {
        ...cel.config,
        when: {
          id: `a${index}`,
          any: Array.from({ length: 500 }, (_none, leaf) => ({
            id: `l${index}-${leaf}`,
            field: '/request/tool',
            operator: 'exists',
          })),
        },
      },
    });
    expect(
      issuesOf({ blocks: Array.from({ length: 20 }, (_none, index) => block(index)) }),
    ).toEqual([]);
    expect(
      issuesOf({ blocks: Array.from({ length: 21 }, (_none, index) => block(index)) }),
    ).toEqual(['/blocks/20/config/when/any/0 too_many']);
  });

  test('lists every escalation path of a document, including those of disabled blocks', () => {
    const body = {
      blocks: [
        cel,
        { ...always, enabled: false, config: { ...always.config, escalation_path: 'night' } },
      ],
      default_escalation_path: 'ops',
    };
    expect(namedEscalationPaths(parsed(body))).toEqual([
      { pathKey: 'night', pointer: '/blocks/1/config/escalation_path' },
      { pathKey: 'ops', pointer: '/default_escalation_path' },
    ]);
  });
});

describe('storeBlocks', () => {
  const ids = (prefix = 'id'): (() => string) => {
    let count = 0;
    return () => `${prefix}-${(count += 1)}`;
  };
  const successor = (document: unknown, first: readonly StoredBlock[]) => {
    const stored = stringifyExact({ blocks: storeBlocks(parsed(document), ids('new')) });
    const kept = keepSnapshots(stored, stringifyExact({ blocks: first }));
    return (parseExact(kept) as unknown as { blocks: StoredBlock[] }).blocks;
  };
  const snapshots = (blocks: readonly StoredBlock[]) => blocks.map((block) => block.snapshot_id);

  test('an unchanged block keeps its snapshot id when it moves; a changed or new one gets another', () => {
    const first = storeBlocks(parsed({ blocks: [always, cel] }), ids());
    expect(snapshots(first)).toEqual(['id-1', 'id-2']);
    const next = { blocks: [cel, { ...always, name: 'Other' }, { ...always, id: 'new' }] };
    expect(snapshots(successor(next, first))).toEqual(['id-2', 'new-2', 'new-3']);
    for (const change of [
      { enabled: false },
      { timeout: '6s' },
      { max_attempts: 2 },
      { config: { outcome: 'deny', reason: 'Because.' } },
    ])
      expect(snapshots(successor({ blocks: [{ ...always, ...change }] }, first))).toEqual([
        'new-1',
      ]);
  });

  test('numbers that differ beyond the digits of a double are a change, and a snapshot id in a literal is not', () => {
    const literal = (value: string) =>
      `{"blocks":[{"id":"b","name":"B","type":"cel","config":{"when":{"id":"c","field":"/request/arguments/x","operator":"equals","value":${value}},"on_match":"next","reason":"r"}}]}`;
    const first = storeBlocks(parsed(literal('1.00000000000000000001')), ids());
    expect(snapshots(successor(literal('1.00000000000000000001'), first))).toEqual(['id-1']);
    expect(snapshots(successor(literal('1.00000000000000000002'), first))).toEqual(['new-1']);
    const named = literal('{"snapshot_id":"mine"}');
    const [block] = successor(named, storeBlocks(parsed(named), ids()));
    expect(block).toMatchObject({
      snapshot_id: 'id-1',
      config: { when: { value: { snapshot_id: 'mine' } } },
    });
  });

  test('notation and key order make no difference to a block', () => {
    const block =
      '{"id":"b","name":"B","type":"cel","config":{"when":{"id":"c","field":"/request/tool","operator":"equals","value":100},"on_match":"next","reason":"r"}}';
    const first = storeBlocks(parsed(`{"blocks":[${block}]}`), ids());
    const respelled =
      '{"config":{"reason":"r","when":{"value":1e2,"operator":"equals","id":"c","field":"/request/tool"},"on_match":"next"},"type":"cel","id":"b","name":"\\u0042","timeout":"5s"}';
    expect(successor(`{"blocks":[${respelled}]}`, first)).toEqual([
      {
        ...first[0],
        config: {
          when: { id: 'c', field: '/request/tool', operator: 'equals', value: 100 },
          on_match: 'next',
          reason: 'r',
        },
      },
    ]);
  });

  test('the content hash covers only type and config', () => {
    const [one, two, three] = storeBlocks(
      parsed({
        blocks: [
          always,
          { ...always, id: 'b', name: 'B', timeout: '9s' },
          { ...always, id: 'c', config: { outcome: 'human', reason: 'Other.' } },
        ],
      }),
      ids(),
    );
    expect(one?.content_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(two?.content_hash).toBe(one?.content_hash);
    expect(three?.content_hash).not.toBe(one?.content_hash);
    expect(one?.config_version).toBe(1);
  });
});

/** Which pipeline documents are accepted, and how blocks are stored. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  namedEscalationPaths,
  parsePipelineDocument,
} from '../../../src/domain/pipelines/parse.ts';
import { placedBlocks } from '../../../src/domain/pipelines/nesting.ts';
import { keepSnapshots, storeBlocks } from '../../../src/domain/pipelines/store.ts';
import type { PipelineDocument, StoredBlock } from '../../../src/domain/pipelines/types.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { canonicalJson, type ExactValue } from '../../../src/platform/json/exact-values.ts';

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

const branch = (id: string, blocks: readonly object[], over: object = {}) => ({
  id,
  name: id,
  type: 'branch',
  config: {
    when: { id: `when-${id}`, field: '/request/tool', operator: 'exists' },
    blocks,
    reason: `${id} ended.`,
    ...over,
  },
});
/** Branches in branches; the innermost block is at this level. */
const nested = (levels: number): object =>
  levels === 1 ? always : branch(`level-${levels}`, [nested(levels - 1)]);

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
      { blocks: [cel, { ...always, type: 'pigeon' }] },
      ['/blocks/1/type unknown_block_type'],
    ],
    [
      'a branch without blocks',
      { blocks: [branch('b', [])] },
      ['/blocks/0/config/blocks invalid_value'],
    ],
    [
      'a branch without condition, blocks and reason',
      { blocks: [{ ...always, type: 'branch', config: {} }] },
      [
        '/blocks/0/config/when required',
        '/blocks/0/config/blocks required',
        '/blocks/0/config/reason required',
      ],
    ],
    [
      'a wrong block in a branch of a branch',
      { blocks: [branch('b', [branch('c', [cel, { ...always, name: '' }])])] },
      ['/blocks/0/config/blocks/0/config/blocks/1/name invalid_value'],
    ],
    [
      'an unknown block type in a branch',
      { blocks: [branch('b', [{ ...always, type: 'pigeon' }])] },
      ['/blocks/0/config/blocks/0/type unknown_block_type'],
    ],
    [
      'an outcome of a branch',
      { blocks: [branch('b', [always], { on_match: 'deny' })] },
      ['/blocks/0/config/on_match unknown_field'],
    ],
    [
      'one block id inside and outside of a branch',
      { blocks: [always, branch('b', [{ ...always }])] },
      ['/blocks/1/config/blocks/0/id duplicate_id'],
    ],
    [
      'a block with the id of the branch around it',
      { blocks: [branch('gate', [always])] },
      ['/blocks/0/config/blocks/0/id duplicate_id'],
    ],
    [
      'one condition id of a branch and of a block in it',
      { blocks: [branch('b', [cel], { when: { ...cel.config.when } })] },
      ['/blocks/0/config/blocks/0/config/when/id duplicate_id'],
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

  test('counts the blocks of branches', () => {
    const blocks = (count: number, prefix: string) =>
      Array.from({ length: count }, (_none, index) => ({ ...always, id: `${prefix}${index}` }));
    const both = (inner: number) => ({
      blocks: [...blocks(499, 'a'), branch('b', blocks(inner, 'c'))],
    });
    expect(issuesOf(both(500))).toEqual([]);
    expect(issuesOf(both(501))).toEqual(['/blocks/499/config/blocks too_many']);
    expect(issuesOf({ blocks: [branch('b', blocks(1_001, 'c'))] })).toEqual([
      '/blocks/0/config/blocks too_many',
    ]);
  });

  test('accepts blocks of 32 levels with conditions of 32 levels, and refuses the 33rd level', () => {
    expect(issuesOf({ blocks: [nested(32)] })).toEqual([]);
    const inner = '/config/blocks/0'.repeat(31);
    expect(issuesOf({ blocks: [nested(33)] })).toEqual([
      `/blocks/0${inner}/config/blocks too_deep`,
    ]);
    const leaf = { id: 'leaf', field: '/request/tool', operator: 'exists' };
    const deep = Array.from({ length: 31 }, (_none, index) => `all-${index}`).reduce<object>(
      (part, id) => ({ id, all: [part] }),
      leaf,
    );
    const within = Array.from({ length: 31 }, (_none, index) => `b-${index}`).reduce<object>(
      (part, id) => branch(id, [part]),
      { ...cel, config: { ...cel.config, when: deep } },
    );
    expect(issuesOf({ blocks: [within] })).toEqual([]);
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
        branch(
          'b',
          [{ ...always, id: 'c', config: { ...always.config, escalation_path: 'inner' } }],
          { escalation_path: 'end' },
        ),
      ],
      default_escalation_path: 'ops',
    };
    expect(namedEscalationPaths(parsed(body))).toEqual([
      { pathKey: 'night', pointer: '/blocks/1/config/escalation_path' },
      { pathKey: 'end', pointer: '/blocks/2/config/escalation_path' },
      { pathKey: 'inner', pointer: '/blocks/2/config/blocks/0/config/escalation_path' },
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

  test('a changed block in a branch gets another snapshot id, and so do the branches around it', () => {
    const document = (reason: string) => ({
      blocks: [
        branch('outer', [
          branch('inner', [{ ...always, config: { outcome: 'human', reason } }]),
          cel,
        ]),
      ],
    });
    const all = (blocks: readonly StoredBlock[]) =>
      placedBlocks(blocks).map(({ block }) => `${block.id} ${block.snapshot_id}`);
    const first = storeBlocks(parsed(document('Because.')), ids());
    expect(all(first)).toEqual(['outer id-1', 'inner id-2', 'gate id-3', 'small id-4']);
    expect(all(successor(document('Because.'), first))).toEqual(all(first));
    expect(all(successor(document('Other.'), first))).toEqual([
      'outer new-1',
      'inner new-2',
      'gate new-3',
      'small id-4',
    ]);
    // A block that leaves its branch is the same block.
    expect(all(successor({ blocks: [cel] }, first))).toEqual(['small id-4']);
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

  test.each([
    '{"snapshot_id":"$$x"}',
    '{"snapshot_id":"$`"}',
    `{"snapshot_id":"$',$'snapshot_id$':$'"}`,
    `{"snapshot_id":"$'}},$'on_match$':$'approve$',$'reason$':$'r$'},$'x$':{$'y$':{$'z$':{$'w$':$'"}`,
  ])('a value of a condition that looks like a snapshot id stays as sent: %s', (value) => {
    const block = `{"id":"b","name":"B","type":"cel","config":{"when":{"id":"c","field":"/request/arguments/x","operator":"equals","value":${value}},"on_match":"deny","reason":"r"}}`;
    const stored = stringifyExact({
      blocks: storeBlocks(parsed(`{"blocks":[${block}]}`), ids('new')),
    });
    const first = stringifyExact({
      blocks: storeBlocks(parsed(`{"blocks":[${block}]}`), ids()),
    });
    expect(keepSnapshots(stored, first)).toBe(stored.replace('new-1', () => 'id-1'));
    expect(stored).toContain(value);
  });

  test('the hash of a branch is that of its type and its config as sent', () => {
    const sent = parsed({ blocks: [branch('b', [branch('c', [cel]), always], { reason: 'r' })] });
    const [first] = storeBlocks(sent, ids());
    const { type, config } = sent.blocks[0] as object as { type: string; config: ExactValue };
    const text = canonicalJson({ type, config });
    expect(first?.content_hash).toBe(createHash('sha256').update(text).digest('hex'));
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

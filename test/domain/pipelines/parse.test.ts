/** Which pipeline documents are accepted. */
import { describe, expect, test } from '@jest/globals';
import { namedEscalationPaths } from '../../../src/domain/pipelines/parse.ts';
import { stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { always, branch, cel, issuesOf, parsed } from './documents.ts';

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
      ['/blocks/0/snapshot_id invalid_value'],
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
      { pathKey: 'night', pointer: '/blocks/1/config/escalation_path', blockId: 'gate' },
      { pathKey: 'end', pointer: '/blocks/2/config/escalation_path', blockId: 'b' },
      {
        pathKey: 'inner',
        pointer: '/blocks/2/config/blocks/0/config/escalation_path',
        blockId: 'c',
      },
      { pathKey: 'ops', pointer: '/default_escalation_path' },
    ]);
  });
});

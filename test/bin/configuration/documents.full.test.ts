/** The pure parts of configuration as code. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from '@jest/globals';
import { differencesOf } from '../../../bin/configuration/documents/differences.ts';
import { fileNameOf, positionOf } from '../../../bin/configuration/documents/kinds.ts';
import { isShortId, nodeUuid } from '../../../bin/configuration/documents/node-ids.ts';
import { normal } from '../../../bin/configuration/documents/normal.ts';
import { withIds, withNames } from '../../../bin/configuration/documents/people.ts';
import { failureOf } from '../../../bin/configuration/documents/pipeline-tests.ts';
import { readYaml } from '../../../bin/configuration/documents/yaml-source.ts';
import { yamlText } from '../../../bin/configuration/documents/yaml-text.ts';
import { readFolder } from '../../../bin/configuration/folder.ts';
import { visible } from '../../../bin/configuration/report.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactObject, ExactValue } from '../../../src/platform/json/exact-values.ts';

const exact = (text: string) => parseExact(text, { spelled: true });
const object = (value: unknown) => exact(JSON.stringify(value)) as ExactObject;

const readAs = (text: string): string => {
  const read = readYaml(text);
  if (read.ok) return stringifyExact(read.source.value);
  return read.faults.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n');
};

describe('YAML', () => {
  test.each([
    [
      'no, on and yes are text',
      'a: [no, on, yes, off, NO, y]',
      '{"a":["no","on","yes","off","NO","y"]}',
    ],
    ['only true and false are booleans', 'a: [true, False]', '{"a":[true,false]}'],
    [
      'numbers keep their digits',
      'a: [1.0, 1e21, 9007199254740993, -0]',
      '{"a":[1.0,1e21,9007199254740993,-0]}',
    ],
    ['quoted numbers are text', 'a: "1.0"', '{"a":"1.0"}'],
    [
      'versions and dates are text',
      'a: [1.2.3, 2026-01-01, 12:30]',
      '{"a":["1.2.3","2026-01-01","12:30"]}',
    ],
    ['an empty value is null', 'a:', '{"a":null}'],
    ['a merge key is only a name', '<<: {a: 1}', '{"<<":{"a":1}}'],
    ['__proto__ is only a name', '__proto__: {a: 1}', '{"__proto__":{"a":1}}'],
    ['a duplicate member', 'a: 1\nb:\n  c: 1\n  "c": 2', '4:3 has c twice'],
    ['an anchor', 'a: &x 1', /^1:7 anchors/],
    ['an alias', 'a: *x', /^1:4 .*(alias|Alias)/],
    [
      'a bomb of aliases',
      [
        'a0: &a0 [x]',
        ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`),
      ].join('\n'),
      /^1:9 anchors/,
    ],
    ['a tag', 'a: !!str 1', /^1:10 tags/],
    ['a tag of a program', 'a: !!js/function "x"', /tags/],
    ['a directive', '%YAML 1.1\n---\na: on', /^1:1 directives/],
    ['a directive for tags', '%TAG ! tag:x,2000:\n---\na: 1', /^1:1 directives/],
    ['two documents', 'a: 1\n---\nb: 2', /^2:1 a file has one document/],
    ['tabs', 'a:\n\tb: 1', /^2:1 is no YAML: Tabs/],
    ['wrong indentation', 'a: 1\n  b: 2', /^1:\d+ is no YAML/],
    ['a list that does not end', 'a: [1', /is no YAML/],
    [
      'octal, hexadecimal and other numbers',
      'a: 0x1f\nb: 0o7\nc: .5\nd: +1\ne: 010\nf: .inf',
      /^1:4 0x1f .*\n2:4 .*\n3:4 .*\n4:4 .*\n5:4 .*\n6:4 /,
    ],
    ['a list as a name', '? [a]\n: 1', /^1:3 the name/],
    ['deep lists', '['.repeat(100_000), /^1:101 nests deeper/],
    ['deep lists of another kind', '- '.repeat(100_000), /nests deeper/],
    [
      'deep objects',
      Array.from({ length: 2_000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
      /nests deeper/,
    ],
  ])('%s', (_what, text, wanted) => {
    const read = readAs(text);
    if (wanted instanceof RegExp) expect(read).toMatch(wanted);
    else expect(read).toBe(wanted);
  });

  test('is written so that it reads back as the same values with the same digits', () => {
    const number = fc.constantFrom(
      '0',
      '-0',
      '1.0',
      '50.00',
      '1e21',
      '1E-7',
      '9007199254740993',
      '0.123456789012345678901234567890',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        'no',
        'on',
        '1.0',
        '~',
        '',
        ' a',
        'a ',
        'a: b',
        '- x',
        '#',
        'x\n y\n',
        '\n',
        ' \n',
        'a\n\n\nb\n\n',
        '\t',
        '%',
        '---',
        '...',
        '<<',
        '=',
        '0x1',
        '\ud800',
        'line\nbreak',
        'a\r\nb',
        '\u2028',
        '\ufeff',
      ),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        number,
        text.map((one) => JSON.stringify(one)),
        fc.constantFrom('null', 'true', 'false'),
        fc
          .array(tie('value') as fc.Arbitrary<string>, { maxLength: 4 })
          .map((items) => `[${items.join(',')}]`),
        fc
          .uniqueArray(fc.tuple(text, tie('value') as fc.Arbitrary<string>), {
            maxLength: 4,
            selector: ([name]) => name,
          })
          .map(
            (members) =>
              `{${members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(',')}}`,
          ),
      ),
    }));
    fc.assert(
      fc.property(value as fc.Arbitrary<string>, (json) => {
        const written = yamlText(exact(`{"x":${json}}`));
        expect(readAs(written)).toBe(stringifyExact(exact(`{"x":${json}}`)));
        const again = readYaml(written);
        expect(again.ok && yamlText(again.source.value)).toBe(written);
      }),
      { numRuns: 300 },
    );
  });

  test('knows the line of what a pointer of the API names, or of what is around it', () => {
    const read = readYaml('blocks:\n  - id: a\n    config:\n      reason: x\n');
    if (!read.ok) throw new Error('it is YAML');
    const { placeOf } = read.source;
    expect(placeOf('/blocks/0/config/reason')).toEqual({ line: 4, column: 7 });
    expect(placeOf('/blocks/0/config/gone/deeper')).toEqual({ line: 3, column: 5 });
    expect(placeOf('/nowhere')).toEqual({ line: 1, column: 1 });
  });
});

describe('names', () => {
  const directory = {
    people: [{ id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e', email: 'Ada@example.com' }],
    teams: [{ id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6f', name: 'On call' }],
  };
  const level = (id: string, ...targets: unknown[]) => ({ id, type: 'level', targets });
  const nodes = [
    level('first', { user: 'ada@EXAMPLE.com' }, { team: ' on call' }, { broadcast: true }),
  ];

  test('short ids become the same UUIDs everywhere, per path', () => {
    expect(nodeUuid('escalation-paths/on-call', 'first')).toBe(
      'e388792f-4402-5426-93cc-d0ef0e4a13e9',
    );
    expect(nodeUuid('escalation-paths/other', 'first')).not.toBe(
      'e388792f-4402-5426-93cc-d0ef0e4a13e9',
    );
    expect([
      isShortId('first'),
      isShortId('0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e'),
      isShortId('A'),
    ]).toEqual([true, false, false]);
  });

  test('people and teams become ids, and names again', () => {
    const { value, issues } = withIds(object({ nodes }), 'escalation-paths/on-call', directory);
    expect(issues).toEqual([]);
    expect(JSON.parse(stringifyExact(value))).toEqual({
      nodes: [
        level(
          nodeUuid('escalation-paths/on-call', 'first'),
          { type: 'user', id: directory.people[0]?.id },
          { type: 'team', id: directory.teams[0]?.id },
          { type: 'broadcast' },
        ),
      ],
    });
    const short = new Map([[nodeUuid('escalation-paths/on-call', 'first'), 'first']]);
    expect(JSON.parse(stringifyExact(withNames(value, short, directory)))).toEqual({
      nodes: [
        level('first', { user: 'Ada@example.com' }, { team: 'On call' }, { broadcast: true }),
      ],
    });
  });

  test('no name is taken for one that only looks like it, or for one of two', () => {
    const [one, two] = [
      '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d61',
      '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d62',
    ];
    const twins = {
      people: ['finance@example.com', '\ufb01nance@example.com'].map((email, index) => ({
        id: [one, two][index] ?? '',
        email,
      })),
      teams: ['Night', 'Nig\uff48t'].map((name) => ({ id: one, name })),
    };
    const targets = [{ user: 'Finance@example.com' }, { team: 'night' }];
    const { value, issues } = withIds(object({ nodes: [level('first', ...targets)] }), 'x', twins);
    expect(stringifyExact(value)).toContain(JSON.stringify({ type: 'user', id: one }));
    expect(issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('more than one team has the name "night"'),
    ]);
  });

  test.each([
    ['an unknown person', { user: 'eve@example.com' }, /no member has the email/],
    ['an unknown team', { team: 'Night' }, /no team has the name/],
    ['two at once', { user: 'ada@example.com', team: 'On call' }, /must be/],
    ['the form of the API', { type: 'user', id: 'x' }, /must be/],
    ['text', 'ada@example.com', /must be/],
  ])('a target that is %s has its place', (_what, target, message) => {
    const { issues } = withIds(object({ nodes: [level('first', target)] }), 'x', directory);
    expect(issues).toEqual([
      {
        pointer: '/nodes/0/targets/0',
        message: expect.stringMatching(message) as unknown as string,
      },
    ]);
  });
});

describe('differences', () => {
  const rule = (value: string, more = '') =>
    exact(
      `{"blocks":[{"id":"a","config":{"when":{"id":"c","operator":"equals","value":${value}}}${more}}]}`,
    );

  test('count the spelling of numbers in conditions, and the value of all others', () => {
    expect(differencesOf(rule('1.0'), rule('1'))).toEqual([
      { at: 'blocks[a].config.when.value', before: '1.0', after: '1' },
    ]);
    expect(differencesOf(rule('{"a":[1.0],"b":2}'), rule('{"b":2,"a":[1.0]}'))).toEqual([]);
    expect(differencesOf(exact('{"share":0.50}'), exact('{"share":0.5}'))).toEqual([]);
  });

  test('name rules by their ids, and their order', () => {
    const ids = (...all: string[]): ExactValue => object({ blocks: all.map((id) => ({ id })) });
    expect(differencesOf(ids('a', 'b'), ids('b', 'a', 'c'))).toEqual([
      { at: 'blocks[c]', after: '{"id":"c"}' },
      { at: 'blocks (order)', before: 'a, b', after: 'b, a' },
    ]);
  });

  test('are none for what goes without saying', () => {
    const block = { id: 'a', name: 'A', type: 'always', config: { outcome: 'human', reason: 'x' } };
    const stored = {
      ...block,
      enabled: true,
      timeout: '5s',
      max_attempts: 1,
      snapshot_id: nodeUuid('a', 'b'),
      config_version: 1,
      content_hash: 'a'.repeat(64),
    };
    const [plain, full] = [block, stored].map((one) =>
      normal('pipelines', object({ blocks: [one] })),
    );
    expect(plain?.ok && full?.ok && differencesOf(plain.value, full.value)).toEqual([]);
  });
});

test('a test of a pipeline says what is not as it wants', () => {
  const wanted = {
    name: 'x',
    request: { tool: 't', arguments: {} },
    outcome: 'approve',
    block: 'a',
  } as const;
  expect(failureOf(wanted, { outcome: 'approve', terminal_block_id: 'a' })).toBeUndefined();
  expect(failureOf(wanted, { outcome: 'human' })).toBe(
    'outcome is human, not approve; block is absent, not a',
  );
});

test('names from outside cannot pretend to be another line of the terminal', () => {
  expect(visible('a\u001b[2Jb\u202ec\r\nd')).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{d}\nd');
});

describe('a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-folder-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const put = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  test('reports every problem with its file, line and column', async () => {
    put('agents/good.yaml', 'name: Good');
    put('agents/Bad.yaml', 'name: Bad');
    put('agents/list.yaml', '- name: x');
    put('escalation-path/typo.yaml', 'name: x');
    put('pipelines/agents/good.yml', 'blocks: []');
    put('pipelines/organization.yaml', 'blocks: []\ntests:\n  - name: x\n    outcome: maybe\n');
    put('team-policies/none.yaml', 'nodes: []');
    put('team-policies/one.yaml', 'team: Night\nnodes: []');
    put('team-policies/two.yaml', 'team: night\nnodes: []');
    put('webhook-endpoints/broken.yaml', 'name: "x');
    put('presentations/not-text.yaml', 'a');
    writeFileSync(join(folder, 'presentations/binary.yaml'), Buffer.from([0xff, 0xfe]));
    put('.github/workflows/ignored.yaml', '%');
    put('README.md', '# Not a document');
    symlinkSync('/etc/passwd', join(folder, 'settings.yaml'));
    symlinkSync('/etc', join(folder, 'linked'));
    const { declared, faults } = await readFolder(folder);
    expect(declared.map(({ name }) => name)).toContain('agents/good');
    const lines = faults.map(
      ({ file, line, column, message }) =>
        `${file.slice(folder.length + 1)}:${line}:${column} ${message.slice(0, 20)}`,
    );
    expect(lines.sort()).toEqual([
      'agents/Bad.yaml:1:1 its name must be up ',
      'agents/list.yaml:1:1 must be an object: m',
      'escalation-path/typo.yaml:1:1 has no place here: t',
      'linked:1:1 is no file: links ar',
      'pipelines/agents/good.yml:1:1 end the name with .y',
      'pipelines/organization.yaml:3:5 /tests/0/request is ',
      'pipelines/organization.yaml:4:5 /tests/0/outcome mus',
      'presentations/binary.yaml:1:1 is not UTF-8',
      'presentations/not-text.yaml:1:1 must be an object: m',
      'settings.yaml:1:1 is no file: links ar',
      'team-policies/none.yaml:1:1 `team` must be the n',
      'team-policies/two.yaml:1:1 is about the same as',
      'webhook-endpoints/broken.yaml:1:9 is no YAML: Missing ',
    ]);
  });

  test('has names that its documents are found by', () => {
    expect(positionOf('pipelines/agents/bot.yaml')).toEqual({
      kind: 'pipelines',
      key: 'agents/bot',
    });
    expect(positionOf('agents/a/b.yaml')).toEqual(expect.any(String));
    expect(fileNameOf('team-policies', 'Ä (Night)', new Set())).toBe('team-policies/night');
    expect(fileNameOf('team-policies', '夜', new Set(['team-policies/other']))).toMatch(
      /^team-policies\/other-[0-9a-f]{8}$/,
    );
    expect(fileNameOf('presentations', '["pay",  "../../x"]', new Set())).toBe(
      'presentations/pay...-..-x',
    );
  });
});

/** What the guides of gates say can pass by them, or change a call behind them: each row has a test. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

/** The first cells of the first table below a heading. */
function rowsBelow(guide: string, heading: string): string[] {
  const [, section = ''] = read(`docs/guides/gates/${guide}.md`).split(`\n## ${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const cells = table.split('\n').map((line) => line.split('|')[1]?.trim() ?? '');
  return cells.slice(2).filter((cell) => cell !== '');
}

const SDK = 'test/sdk/';
const RUN = `${SDK}run.full.test.ts`;
const CLAUDE = `${SDK}frameworks/claude.full.test.ts`;
const CLAUDE_CODE = `${SDK}frameworks/claude-code.full.test.ts`;
const DESK = `${SDK}frameworks/coding-agents.full.test.ts`;
const AI = `${SDK}frameworks/ai.full.test.ts`;
const ADAPTERS = `${SDK}python/adapters.full.test.ts`;
const CHANGES = 'refuses arguments that changed while a person read them';
const LATER = 'stops the session after a call that %s changed';
const MANAGED = 'started with %s asks for managed settings alone';

type Tables = Readonly<
  Record<string, readonly (readonly [row: string, path: string, title: string])[]>
>;

/** By the guide and the heading. */
const TABLES: Tables = {
  'README: What fails open in gates written by hand': [
    [
      'the runtime stops waiting for a hook',
      CLAUDE,
      'denies before its limit, even where the ask ignores',
    ],
    ['the hook crashes', CLAUDE_CODE, 'whose hook is killed'],
    [
      'a wrong address is retried forever',
      `${SDK}truth.full.test.ts`,
      'an address that ends in %s is said to be wrong',
    ],
    ['the body of a 401', RUN, 'because of a wrong token or a personal key is said at once'],
    ['`needsApproval` is undefined', AI, 'refuses tools that execute elsewhere'],
    ['messages that the client sent', AI, 'runs nothing for an approval that the client forged'],
    ['one key for two conversations', RUN, 'asks again in another conversation'],
    [
      'the same approval is used twice',
      RUN,
      'runs the tool once with what was approved, and never again',
    ],
    ['the arguments change between', RUN, CHANGES],
    ['an id that comes twice', RUN, 'is of another call with other arguments'],
    [
      'a model is asked to call',
      `${SDK}typescript/adapters/mcp-wrap.full.test.ts`,
      'reaches the server once it is approved',
    ],
  ],
  'README: What can change a call after the gate': [
    ['your program changes its arguments', RUN, CHANGES],
    [
      'a middleware of LangChain',
      `${SDK}frameworks/repeated-ids.full.test.ts`,
      'a middleware that is listed after the gate changes what runs',
    ],
    [
      'another hook of the Claude Agent SDK',
      CLAUDE,
      'also where another hook wants other arguments',
    ],
    [
      'a hook that ends after it',
      CLAUDE,
      'that a later hook changes is reported to have run differently',
    ],
    [
      'someone who edits the state',
      `${SDK}frameworks/openai.full.test.ts`,
      'arguments that someone wrote into its state',
    ],
    [
      'someone who edits a ticket',
      `${SDK}attacks.full.test.ts`,
      'of a call with another %s is not settled',
    ],
    [
      'the tool itself',
      `${SDK}typescript/client.test.ts`,
      'the function gets arguments of its own',
    ],
  ],
  'coding-agents: Who can turn it off': [
    ["an administrator, in Claude Code's", DESK, MANAGED],
    ["an administrator, in Codex's", DESK, 'asks for the requirements of an administrator'],
    ['a user of Claude Code', DESK, 'asks in %s just when status says so'],
    ['a user of Codex', DESK, 'turns hooks off where the config of a project says so'],
    ['a project of Claude Code', DESK, 'reads the settings of a project in its root alone'],
  ],
  'coding-agents: What can change a call after the approval': [
    ['another hook before the call ends earlier', DESK, 'whatever another hook wrote before'],
    ['another hook before the call ends later', DESK, LATER],
    ['a `PermissionRequest` hook of Claude Code', DESK, LATER],
    // These two were tried by hand, or not at all, as the guide says below its table.
    ['a `PermissionRequest` hook of Codex', '', ''],
    ['another hook at `PreSkillShellCommand`', '', ''],
    [
      'Claude Code, which fills in',
      `${SDK}hook/after.full.test.ts`,
      'what Claude Code itself fills in is no other call',
    ],
    ['managed settings or requirements', DESK, MANAGED],
  ],
  'claude-agent-sdk: What fails open in a hook written by hand': [
    ['throws', ADAPTERS, 'blocks when it fails, which a hook by hand does not'],
    ['returns nothing', CLAUDE, 'denies what it cannot ask about: %s'],
    ['returns `{}`', CLAUDE, 'does not run after a denial'],
    ['has a `matcher`', CLAUDE, 'is called for every tool, blocks if it fails'],
    ['exceeds its `timeout`', CLAUDE, 'denies before its limit'],
    ['is only for `PreToolUse`', CLAUDE, 'holds the commands in the text of a skill'],
    ['is followed by a hook', CLAUDE, 'also where another hook wants other arguments'],
  ],
};

describe.each(Object.entries(TABLES))('the table %s', (name, tests) => {
  test('has a test for each row, and no other', () => {
    const [guide = '', heading = ''] = name.split(': ');
    const rows = rowsBelow(guide, heading);
    expect(rows).toHaveLength(tests.length);
    for (const [at, row] of rows.entries()) expect(row).toContain(tests[at]?.[0]);
  });

  test('names tests that exist', () => {
    for (const [row, path, title] of tests) {
      if (path === '') continue;
      expect([row, existsSync(join(packageRoot(), path))]).toEqual([row, true]);
      expect(`${row}: ${read(path)}`).toContain(title);
    }
  });
});

/** What can change a call behind the hook, or run it without one, in Claude Code and Codex themselves. */
import { afterAll, beforeAll, describe, expect, test as everywhere } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TRIAL_ID } from '../../../sdk/hook/src/run/decide.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { bundledHook, type Hook } from '../hook/hook-process.ts';
import { Desk, hasOwnEtc, rewriter, type Agent, type Ran, type Start } from './coding-agent.ts';
import { test } from './framework.ts';

/** What administrators deploy lies in /etc. Where a process cannot have one of its own, these are skipped, and the summary counts them. */
const testWithOwnEtc = hasOwnEtc() ? test : everywhere.skip;

/** Its loader has these variables. */
const testOnLinux = process.platform === 'linux' ? test : everywhere.skip;

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;

let hook: Hook;
beforeAll(() => {
  hook = bundledHook();
});
afterAll(() => {
  hook.remove();
});

const LONG = 180_000;
const deskOf = (agent: Agent) =>
  new Desk(hook, agent, { url: app.url, token: agents.bot.credential });

/** A person approves what is asked meanwhile. */
async function approving(run: Promise<Ran>): Promise<Ran> {
  const end = new AbortController();
  const approve = async () => {
    while (!end.signal.aborted) {
      const ids = await app
        .db('approval_requests')
        .where({ state: 'pending' })
        .pluck<string[]>('id');
      for (const id of ids) await decide(ada, id);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const approver = approve();
  const ran = await run;
  end.abort();
  await approver;
  return ran;
}

const requests = async (): Promise<number> =>
  Number((await app.db('approval_requests').count<{ count: string }[]>())[0]?.count);

/** Whether a hook is started at all: it denies such a call, and asks no one. */
async function isAsked(desk: Desk, start: Start = {}): Promise<boolean> {
  const allowed = desk.agent === 'claude' ? ['--allowedTools', 'Bash'] : [];
  const args = [...(start.args ?? []), ...allowed];
  const { result, files } = await desk.run({ ...start, args, id: `${TRIAL_ID}1` });
  // A shared command looks for the credential in the home folder that the system knows, which tests leave alone.
  const asked = /The hook was asked|There is no credential/.test(result);
  expect([result, files.includes('ran')]).toEqual([result, !asked]);
  return asked;
}

describe('Claude Code', () => {
  async function installed(): Promise<Desk> {
    const desk = deskOf('claude');
    expect(await desk.command(['install', 'claude', '--yes'])).toMatchObject({ code: 0 });
    return desk;
  }
  const ALLOWED = ['--allowedTools', 'Bash'];

  test(
    'runs what was approved, whatever another hook wrote before, and by its own permissions',
    async () => {
      const desk = await installed();
      desk.write('project/.claude/settings.json', JSON.stringify(rewriter('PreToolUse', 0)));
      expect((await approving(desk.run({ args: ALLOWED }))).files).toEqual(['ran']);
      const strict = await installed();
      expect((await approving(strict.run())).files).toEqual([]);
      const deny = ['--disallowedTools', 'Bash(touch:*)'];
      expect((await approving(strict.run({ args: deny }))).result).toContain('denied');
    },
    LONG,
  );

  test.each([
    ['another hook that ends later', 'PreToolUse', 3, ALLOWED],
    ['a hook of permission requests', 'PermissionRequest', 0, []],
  ] as const)(
    'stops the session after a call that %s changed',
    async (_name, event, seconds, args) => {
      const desk = await installed();
      desk.write('project/.claude/settings.json', JSON.stringify(rewriter(event, seconds)));
      const status = await desk.command(['status', 'claude']);
      expect(status.stdout).toMatch(new RegExp(`another hook +${event} of project`));
      expect((await approving(desk.run({ args }))).files).toEqual(['evil']);
      const { stdout } = await desk.command(['resume']);
      expect(stdout).toMatch(/Approved: .*touch ran.*Ran: .*touch evil/);
    },
    LONG,
  );

  const OFF = JSON.stringify({ disableAllHooks: true });
  const folders: readonly (readonly [string, (desk: Desk) => string, boolean])[] = [
    ['a project', () => '', true],
    [
      'a project that turns hooks off',
      (desk) => {
        desk.write('project/.claude/settings.json', OFF);
        return '';
      },
      false,
    ],
    [
      'a project whose local settings turn hooks off',
      (desk) => {
        desk.write('project/.claude/settings.local.json', OFF);
        return '';
      },
      false,
    ],
    [
      'a project that turns hooks off, and local settings that do not',
      (desk) => {
        desk.write('project/.claude/settings.json', OFF);
        desk.write('project/.claude/settings.local.json', '{"disableAllHooks": false}');
        return '';
      },
      true,
    ],
  ];
  test.each(folders)(
    'asks in %s just when status says so',
    async (_name, prepare, expected) => {
      const desk = await installed();
      const folder = prepare(desk);
      const { stdout } = await desk.command(['status', 'claude'], folder);
      expect(stdout).toMatch(
        expected ? /every tool +asked/ : /NOT asked, because "disableAllHooks"/,
      );
      expect(await isAsked(desk, { folder })).toBe(expected);
    },
    LONG,
  );

  test(
    'reads the settings of a project in its root alone, and status says so',
    async () => {
      const desk = deskOf('claude');
      await desk.command(['install', 'claude', '--yes', '--scope', 'project']);
      mkdirSync(join(desk.project, 'below'));
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@a.example', ...args], {
          ...{ cwd: desk.project, stdio: 'ignore' },
        });
      git('commit', '-q', '--allow-empty', '-m', 'first');
      git('worktree', 'add', '-q', 'tree');
      for (const [folder, expected] of [
        ['', true],
        ['below', false],
        ['tree', false],
      ] as const) {
        const { stdout } = await desk.command(['status', 'claude'], folder);
        expect([folder, /every tool +asked/.test(stdout)]).toEqual([folder, expected]);
        if (!expected) expect(await isAsked(desk, { folder })).toBe(false);
      }
    },
    LONG,
  );

  testOnLinux(
    'does not ask where the environment of a project ends the shell of the hook, and status says so',
    async () => {
      const desk = await installed();
      const env = { LD_TRACE_LOADED_OBJECTS: '1' };
      desk.write('project/.claude/settings.json', JSON.stringify({ env }));
      const { stdout } = await desk.command(['status', 'claude']);
      expect(stdout).toContain('NOT asked, because "env"');
      // The shell of the command prints its libraries, too.
      const { result } = await desk.run({ args: ALLOWED, id: `${TRIAL_ID}1` });
      expect(result).toContain('libc.so');
    },
    LONG,
  );

  test(
    'asks once where the user and the project have the hook',
    async () => {
      const desk = await installed();
      // The command of a project has the home folder that the system knows, which tests leave alone.
      const ofUser = readFileSync(join(desk.home, '.claude/settings.json'), 'utf8');
      const ofProject = ofUser.replaceAll('--scope user', '--scope project');
      expect(ofProject).not.toBe(ofUser);
      desk.write('project/.claude/settings.json', ofProject);
      const before = await requests();
      const { files } = await approving(desk.run({ args: ALLOWED }));
      expect([files, await requests()]).toEqual([['ran'], before + 1]);
      expect((await desk.command(['resume'])).stdout).toContain('No session');
    },
    LONG,
  );

  const modes: readonly (readonly [string, Start])[] = [
    ['--bare', { args: ['--bare'] }],
    ['--safe-mode', { args: ['--safe-mode'] }],
    ['--setting-sources', { args: ['--setting-sources', 'project'] }],
    ['another CLAUDE_CONFIG_DIR', { env: { CLAUDE_CONFIG_DIR: '/tmp/none' } }],
    ['--settings', { args: ['--settings', OFF] }],
  ];
  testWithOwnEtc.each(modes)(
    'started with %s asks for managed settings alone',
    async (_name, start) => {
      const desk = await installed();
      expect(await isAsked(desk, start)).toBe(false);
      const { stdout } = await desk.command(['install', 'claude', '--managed']);
      desk.write('project/.claude/settings.json', OFF);
      rmSync(join(desk.project, 'ran'), { force: true });
      expect(await isAsked(desk, { ...start, managed: stdout })).toBe(true);
    },
    LONG,
  );
});

describe('Codex', () => {
  const TRUSTED = '--dangerously-bypass-hook-trust';
  async function installed(config = ''): Promise<Desk> {
    const desk = deskOf('codex');
    await desk.command(['install', 'codex', '--yes']);
    const trust = `[projects.${JSON.stringify(desk.project)}]\ntrust_level = "trusted"\n`;
    desk.write('.codex/config.toml', `${trust}${config}`);
    return desk;
  }

  test(
    'runs what was approved, or stops the session',
    async () => {
      for (const [seconds, files] of [
        [0, ['ran']],
        [3, ['evil']],
      ] as const) {
        const desk = await installed('[features]\nunified_exec_tty = false\n');
        desk.write('project/.codex/hooks.json', JSON.stringify(rewriter('PreToolUse', seconds)));
        expect((await approving(desk.run({ args: [TRUSTED] }))).files).toEqual(files);
        const { stdout } = await desk.command(['resume']);
        expect(stdout).toMatch(seconds === 0 ? /No session/ : /touch ran.*touch evil/);
      }
    },
    LONG,
  );

  test(
    'asks once where the user and the project have the hook',
    async () => {
      const desk = await installed('[features]\nunified_exec_tty = false\n');
      const ofUser = readFileSync(join(desk.home, '.codex/hooks.json'), 'utf8');
      const ofProject = ofUser.replaceAll('--scope user', '--scope project');
      expect(ofProject).not.toBe(ofUser);
      desk.write('project/.codex/hooks.json', ofProject);
      const before = await requests();
      const { files } = await approving(desk.run({ args: [TRUSTED] }));
      expect([files, await requests()]).toEqual([['ran'], before + 1]);
      expect((await desk.command(['resume'])).stdout).toContain('No session');
    },
    LONG,
  );

  test(
    'skips a hook that is not trusted, and status says so',
    async () => {
      const desk = await installed('[features]\nunified_exec_tty = false\n');
      const { code, stdout } = await desk.command(['status', 'codex']);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/NOT asked, .*is not trusted/)]);
      expect(await isAsked(desk)).toBe(false);
      rmSync(join(desk.project, 'ran'), { force: true });
      expect(await isAsked(desk, { args: [TRUSTED] })).toBe(true);
    },
    LONG,
  );

  test(
    'turns hooks off where the config of a project says so, and status says so',
    async () => {
      const desk = await installed('[features]\nunified_exec_tty = false\n');
      desk.write('project/.codex/config.toml', '[features]\nhooks = false\n');
      const { code, stdout } = await desk.command(['status', 'codex']);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/NOT asked, .*turns hooks off/)]);
      expect(await isAsked(desk, { args: [TRUSTED] })).toBe(false);
      desk.write('project/.codex/config.toml', '[features]\nunified_exec_tty = true\n');
      expect((await desk.command(['status', 'codex'])).code).toBe(1);
    },
    LONG,
  );

  const ways: readonly (readonly [string, readonly string[], string])[] = [
    ['an option', ['-c', 'features.hooks=false'], ''],
    ['the config of a project', [], '[features]\nhooks = false\n'],
  ];
  testWithOwnEtc.each(ways)(
    'asks for the requirements of an administrator, whatever %s says',
    async (_name, args, config) => {
      const desk = deskOf('codex');
      desk.write(
        '.codex/config.toml',
        `[projects.${JSON.stringify(desk.project)}]\ntrust_level = "trusted"\n`,
      );
      desk.write('project/.codex/config.toml', config);
      const { stdout } = await desk.command(['install', 'codex', '--requirements']);
      expect(await isAsked(desk, { args, managed: stdout })).toBe(true);
    },
    LONG,
  );
});

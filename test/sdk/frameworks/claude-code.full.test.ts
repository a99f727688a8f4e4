/** The hook in Claude Code itself, as the Claude Agent SDK brings it, with a scripted model. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { commandLine } from '../../../src/local/processes.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { startAnthropicServer } from '../../support/servers/anthropic-server.ts';
import { until } from '../../support/waiting.ts';
import { bundledHook, type Hook } from '../hook/hook-process.ts';
import { programOf } from './coding-agent.ts';
import { test } from './framework.ts';

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;

let hook: Hook;
beforeAll(() => {
  hook = bundledHook();
  mkdirSync(join(hook.home, '.config'));
  writeFileSync(credential(), JSON.stringify({ url: app.url, token: agents.bot.credential }));
});
afterAll(() => {
  hook.remove();
});

const credential = () => join(hook.home, '.config/countersign-credential');
const openIds = async (): Promise<string[]> =>
  await app.db('approval_requests').where({ state: 'pending' }).pluck<string[]>('id');

test('runs a command that is approved, and none that is denied or whose hook is killed', async () => {
  const ran = (name: string) => join(hook.home, name);
  const model = await startAnthropicServer([
    ...['approved', 'denied', 'killed'].map((name) => [
      { id: `toolu_real_${name}`, name: 'Bash', input: { command: `touch ${ran(name)}` } },
    ]),
    [{ id: 'toolu_real_skill', name: 'Skill', input: { skill: 'probe' } }],
  ]);
  const config = join(hook.home, 'claude');
  // Its command is no call of a tool.
  mkdirSync(join(config, 'skills/probe'), { recursive: true });
  writeFileSync(
    join(config, 'skills/probe/SKILL.md'),
    `---\nname: probe\ndescription: Probes.\nallowed-tools: Bash(touch:*)\n---\n!\`touch ${ran('command')}\`\n`,
  );
  const settings = ['--config', join(config, 'settings.json'), '--binary', programOf('claude')];
  const installed = await hook.run(['install', 'claude', '--yes', ...settings]);
  expect(installed).toMatchObject({ code: 0, stderr: '' });
  // A project may set it for the programs that Claude Code starts.
  const passes = `data:text/javascript,${encodeURIComponent('process.exit(0)')}`;
  const claude = spawn(programOf('claude'), ['-p', 'go', '--allowedTools', 'Bash', 'Skill'], {
    cwd: hook.home,
    stdio: 'ignore',
    env: {
      ...{ PATH: process.env['PATH'], HOME: hook.home, CLAUDE_CONFIG_DIR: config },
      ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-test' },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
      COUNTERSIGN_TOKEN: 'whc_of_another_agent',
      NODE_OPTIONS: `--import=${passes}`,
    },
  });
  const ended = once(claude, 'exit');
  const asked = async (name: string) => {
    let id = '';
    await until(`it asks about ${name}`, async () => {
      [id = ''] = await app
        .db('approval_requests')
        .where({ state: 'pending' })
        .whereRaw(`context->>'call_id' = ?`, [`toolu_real_${name}`])
        .pluck<string[]>('id');
      return id !== '';
    });
    return id;
  };
  await decide(ada, await asked('approved'));
  await decide(ada, await asked('denied'), { status: 'denied', note: 'Not now.' });
  const left = await asked('killed');
  const hooks = readdirSync('/proc').filter((pid) =>
    commandLine(Number(pid))?.includes(
      `${hook.file} run claude --credential ${credential()} --limit 600s`,
    ),
  );
  expect(hooks).toHaveLength(1);
  process.kill(Number(hooks[0]), 'SIGKILL');
  await decide(ada, await asked('skill'));
  let command = '';
  await until('it asks about the command of the skill', async () => {
    [command = ''] = (await openIds()).filter((id) => id !== left);
    return command !== '';
  });
  await decide(ada, command, { status: 'denied' });
  expect(await ended).toEqual([0, null]);
  await model.close();
  await decide(ada, left, { status: 'denied' });
  const all = ['approved', 'denied', 'killed', 'command'];
  expect(all.filter((name) => existsSync(ran(name)))).toEqual(['approved']);
  expect(model.results()).toEqual([
    expect.stringMatching(/toolu_real_approved/),
    expect.stringMatching(/denied this call.*Not now\./),
    expect.stringMatching(/onFailure is/),
    expect.anything(),
  ]);
});

/** `countersign-hook install`, `status` and `uninstall` on the settings of users. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { bundledHook, type Hook } from './hook-process.ts';

/** Something else, so that no one waits for it. */
const elsewhere = createServer((_request, response) => response.end('<html>')).listen(0);
let address = '';
let hook: Hook;
let bin = '';
beforeAll(() => {
  address = `http://127.0.0.1:${String((elsewhere.address() as AddressInfo).port)}`;
  hook = bundledHook(() => ({
    COUNTERSIGN_URL: address,
    PATH: `${bin}:${String(process.env['PATH'])}`,
  }));
  bin = join(dirname(hook.home), 'bin');
});
afterAll(() => {
  elsewhere.close();
  hook.remove();
});

const FILES = {
  claude: '.claude/settings.json',
  codex: '.codex/hooks.json',
  cursor: '.cursor/hooks.json',
} as const;
type Name = keyof typeof FILES;
const NAMES = Object.keys(FILES) as Name[];
const pathOf = (name: Name) => join(hook.home, FILES[name]);
const read = (name: Name) => readFileSync(pathOf(name), 'utf8');
function write(name: Name, text: string) {
  mkdirSync(dirname(pathOf(name)), { recursive: true });
  writeFileSync(pathOf(name), text);
}
/** Programs that say these versions. */
function versions(claude: string, codex = 'codex-cli 0.171.0') {
  mkdirSync(bin, { recursive: true });
  for (const [name, text] of Object.entries({ claude, codex })) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho '${text}'\n`);
    chmodSync(join(bin, name), 0o755);
  }
}
beforeEach(() => {
  rmSync(hook.home, { recursive: true, force: true });
  mkdirSync(join(hook.home, '.config'), { recursive: true });
  writeFileSync(credential(), JSON.stringify({ url: address, token: 'whc_0000000000_x' }));
  versions('2.1.332 (Claude Code)');
});

const credential = () => join(hook.home, '.config/countersign-credential');
const commandOf = (name: Name, end = '', limit = 600) =>
  `/usr/bin/env -i HOME='${hook.home}' '${process.execPath}' '${hook.file}' run ${name} --credential '${credential()}' --limit ${String(limit)}s --url '${address}' --scope user${end}`;
const SHELL_SAYS_NO = " || { echo 'Countersign did not approve this call.' >&2; exit 2; }";
const afterOf = (name: Name): unknown => ({
  type: 'command',
  command: commandOf(name, name === 'codex' ? SHELL_SAYS_NO : '', 30),
  timeout: 30,
});
const hookOf = (name: Name): unknown => {
  if (name === 'cursor') return { command: commandOf(name), timeout: 600, failClosed: true };
  if (name === 'codex')
    return { type: 'command', command: commandOf(name, SHELL_SAYS_NO), timeout: 600 };
  return { type: 'command', command: commandOf(name), timeout: 600, onFailure: 'block' };
};
const settingsOf = (name: Name): unknown =>
  name === 'cursor'
    ? {
        version: 1,
        hooks: {
          preToolUse: [hookOf(name)],
          beforeShellExecution: [hookOf(name)],
          beforeMCPExecution: [hookOf(name)],
        },
      }
    : {
        hooks: {
          PreToolUse: [{ hooks: [hookOf(name)] }],
          PostToolUse: [{ hooks: [afterOf(name)] }],
          ...(name === 'claude' && {
            PreSkillShellCommand: [{ hooks: [hookOf(name)] }],
            PostToolUseFailure: [{ hooks: [afterOf(name)] }],
            PostToolBatch: [{ hooks: [afterOf(name)] }],
          }),
        },
      };

describe('install', () => {
  test.each(NAMES)('writes the hook of %s so that a failure blocks, and once', async (name) => {
    const first = await hook.run(['install', name, '--yes']);
    expect([first.code, JSON.parse(read(name))]).toEqual([0, settingsOf(name)]);
    expect(first.stdout).toContain(`+ `);
    expect(first.stdout).toContain(name === 'codex' ? '/hooks' : 'Restart');
    const again = await hook.run(['install', name, '--yes']);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('already')]);
    expect(readdirSync(dirname(pathOf(name)))).toHaveLength(1);
    const { code, stdout } = await hook.run(['status', name]);
    // A program that says only its version.
    expect(stdout).toMatch(name === 'codex' ? /NOT asked, .*app-server/ : /every tool +asked\n/);
    expect([code, stdout]).toEqual([1, expect.stringContaining('NOT reached')]);
  });

  test('shows the difference and writes nothing without --yes', async () => {
    write('claude', '{}\n');
    const { code, stdout } = await hook.run(['install', 'claude']);
    expect([code, read('claude')]).toEqual([1, '{}\n']);
    expect(stdout).toContain(
      '+           "onFailure": "block"'.replace('          ', '            '),
    );
    expect(stdout).toContain('--yes');
  });

  const OWN: Readonly<Record<Name, string>> = {
    claude: `{
    // Mine.
    "model": "opus", "future": { "amount": 9007199254740993 },
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./lint" }] }
        ],
        "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
    }
}
`,
    codex: '{"description":"Mine","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    cursor: `{\n\t"version": 1,\n\t"hooks": {\n\t\t"preToolUse": [\n\t\t\t{ "command": "./mine" }\n\t\t]\n\t}\n}\n`,
  };
  test.each(NAMES)(
    'leaves what else %s has, backs it up, and uninstall restores it',
    async (name) => {
      write(name, OWN[name]);
      chmodSync(pathOf(name), 0o640);
      await hook.run(['install', name, '--yes']);
      const installed = read(name);
      for (const part of ['// Mine.', '9007199254740993', './lint', 'say done', './mine', '"Mine"'])
        expect(installed.includes(part)).toBe(OWN[name].includes(part));
      expect(installed).toContain('countersign-hook');
      const [backup = ''] = readdirSync(dirname(pathOf(name))).filter((each) =>
        /backup/.test(each),
      );
      expect(readFileSync(join(dirname(pathOf(name)), backup), 'utf8')).toBe(OWN[name]);
      expect(lstatSync(pathOf(name)).mode & 0o777).toBe(0o640);
      expect((await hook.run(['uninstall', name, '--yes'])).code).toBe(0);
      expect(read(name).replaceAll(/\s/g, '')).toBe(OWN[name].replaceAll(/\s/g, ''));
      const { code, stdout } = await hook.run(['status', name]);
      expect([code, stdout]).toEqual([1, expect.stringContaining('not installed')]);
    },
  );

  test('repairs a hook that was made to fail open, and status says so before', async () => {
    await hook.run(['install', 'claude', '--yes']);
    const whole = read('claude');
    const spoiled: readonly (readonly [string, string, RegExp])[] = [
      ['"block"', '"continue"', /onFailure/],
      ['"timeout": 600', '"timeout": 60', /timeout/],
      ['/usr/bin/env -i ', '', /not the one of this version/],
      ["--url '", "--url 'x' || exit 0; --url '", /not the one of this version/],
      ['"type": "command",', '"type": "command", "async": true,', /async/],
      ['"hooks": [\n          {', '"matcher": "Bash", "hooks": [\n          {', /matcher/],
    ];
    for (const [from, to, gap] of spoiled) {
      write('claude', whole.replace(from, to));
      expect(read('claude')).not.toBe(whole);
      const { code, stdout } = await hook.run(['status', 'claude']);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/NOT asked, because /)]);
      expect(stdout).toMatch(gap);
      expect((await hook.run(['install', 'claude', '--yes'])).code).toBe(0);
      expect(JSON.parse(read('claude'))).toEqual(settingsOf('claude'));
    }
    write('claude', whole.replace('"PostToolUse"', '"PostToolUsed"'));
    expect((await hook.run(['status', 'claude'])).stdout).toMatch(
      /every tool +asked\n +what ran +NOT compared .* there is no hook at PostToolUse\n/,
    );
    write('cursor', JSON.stringify(settingsOf('cursor')).replace('"failClosed":true', '"x":1'));
    expect((await hook.run(['status', 'cursor'])).stdout).toMatch(
      /NOT asked, because "failClosed" is not true/,
    );
  }, 180_000);

  test('refuses settings that it does not understand, and leaves them as they are', async () => {
    for (const text of [
      '{"hooks": ',
      'not json',
      '[]',
      '{"hooks": []}',
      '{"hooks": {"PreToolUse": {}}}',
      '{"hooks": {}, "hooks": {}}',
      '{"disableAllHooks": true}',
    ])
      for (const command of ['install', 'uninstall']) {
        if (command === 'uninstall' && text.includes('disable')) continue;
        write('claude', text);
        const { code, stderr } = await hook.run([command, 'claude', '--yes']);
        expect([text, code, stderr]).toEqual([text, 1, expect.stringContaining('left as it is')]);
        expect(read('claude')).toBe(text);
      }
    write('cursor', '{"version": 2}');
    expect((await hook.run(['install', 'cursor', '--yes'])).stderr).toContain('"version" is not 1');
  });

  test('refuses versions that would run the tool when the hook fails', async () => {
    versions('2.1.331 (Claude Code)', 'codex-cli 0.123.9');
    for (const name of ['claude', 'codex'] as const) {
      const { code, stderr } = await hook.run(['install', name, '--yes']);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/is too old.*(2\.1\.332|0\.124\.0)/),
      ]);
    }
    versions('nothing');
    expect((await hook.run(['install', 'claude', '--yes'])).stderr).toContain('--binary');
  });

  test('needs an address, and takes a file, a project, a time and an address of its own', async () => {
    const kept = readFileSync(credential(), 'utf8');
    rmSync(credential());
    const { code, stderr } = await hook.run(['install', 'cursor', '--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no credential')]);
    writeFileSync(credential(), kept);
    const project = join(hook.home, 'project');
    mkdirSync(project);
    await hook.run(['install', 'claude', '--yes', '--scope', 'project', '--limit', '1h'], {
      cwd: project,
    });
    const shared = readFileSync(join(project, FILES.claude), 'utf8');
    expect(shared).toMatch(/--limit 3600s[^]*3600,/);
    const second = await hook.run(['install', 'claude', '--yes'], { cwd: project });
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('--limit 3600s')]);
    // Claude Code reads the local settings, too.
    renameSync(join(project, FILES.claude), join(project, '.claude/settings.local.json'));
    const third = await hook.run(['install', 'claude', '--yes'], { cwd: project });
    expect([third.code, third.stderr]).toEqual([1, expect.stringContaining('settings.local.json')]);
    // It is committed, and every teammate has other folders.
    expect(shared).not.toMatch(/home|countersign-hook\.js|bin\/node/);
    const file = join(project, 'other.json');
    const other = join(project, 'credential');
    writeFileSync(other, JSON.stringify({ url: 'https://it.example/base', token: 'whc_1' }));
    const given = ['--config', file, '--url', 'https://it.example/base/', '--yes'];
    const wrong = await hook.run(['install', 'cursor', ...given]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('not for https://it')]);
    await hook.run(['install', 'cursor', ...given, '--credential', other]);
    expect(readFileSync(file, 'utf8')).toContain("--url 'https://it.example/base'");
    for (const each of [['--limit', '3s'], ['--scope', 'all'], ['vim'], ['--what']])
      expect((await hook.run(['install', 'codex', ...each])).code).toBe(2);
  });

  test('changes the file behind a link, and the link stays', async () => {
    const target = join(hook.home, 'dotfiles.json');
    writeFileSync(target, '{}');
    mkdirSync(dirname(pathOf('claude')));
    symlinkSync(target, pathOf('claude'));
    await hook.run(['install', 'claude', '--yes']);
    expect(lstatSync(pathOf('claude')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('countersign-hook');
  });
});

describe('Codex', () => {
  test('is told by the shell when the hook is killed or missing', async () => {
    await hook.run(['install', 'codex', '--yes']);
    const { hooks } = JSON.parse(read('codex')) as {
      hooks: { PreToolUse: { hooks: { command: string }[] }[] };
    };
    const command = String(hooks.PreToolUse[0]?.hooks[0]?.command);
    for (const broken of [
      command.replace(hook.file, '/nowhere/countersign-hook.js'),
      command.replace(process.execPath, '/nowhere/node'),
      command.replace(`'${process.execPath}'`, `sh -c 'kill -9 $$'`),
    ]) {
      const { status, stderr } = spawnSync('sh', ['-c', broken], { encoding: 'utf8', input: '{}' });
      expect([status, stderr]).toEqual([2, expect.stringContaining('did not approve this call')]);
    }
  });

  test('has requirements for administrators, and Claude Code has managed settings', async () => {
    const machine = (name: Name, end: string) =>
      `/usr/bin/env -i '${process.execPath}' '${hook.file}' run ${name} --credential '~/.config/countersign-credential' --limit 600s --url '${address}' --scope machine${end}`;
    const { code, stdout } = await hook.run(['install', 'codex', '--requirements']);
    expect([code, readdirSync(hook.home)]).toEqual([0, ['.config']]);
    expect(stdout).toContain('allow_managed_hooks_only = true');
    expect(stdout).toContain('unified_exec_tty = false');
    expect(stdout).toContain('[[hooks.PostToolUse]]');
    expect(stdout).toContain(`command = ${JSON.stringify(machine('codex', SHELL_SAYS_NO))}`);
    const managed = await hook.run(['install', 'claude', '--managed']);
    expect(JSON.parse(managed.stdout)).toMatchObject({
      allowManagedHooksOnly: true,
      hooks: {
        PreToolUse: [{ hooks: [{ command: machine('claude', ''), onFailure: 'block' }] }],
        PostToolUse: [{ hooks: [{ timeout: 30 }] }],
      },
    });
    for (const wrong of [
      ['claude', '--requirements'],
      ['cursor', '--managed'],
    ])
      expect((await hook.run(['install', ...wrong])).code).toBe(2);
  });
});

test('says its version, what is installed, and how it is used', async () => {
  const manifest = readFileSync(join(packageRoot(), 'sdk/hook/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  expect((await hook.run(['--version'])).stdout).toBe(`${version}\n`);
  const { code, stdout } = await hook.run(['status']);
  expect([code, stdout.match(/not installed/g)?.length]).toEqual([1, 3]);
  expect((await hook.run(['--help'])).stdout).toContain('install claude|codex|cursor');
  expect(await hook.run([])).toMatchObject({ code: 2, stdout: '' });
});

test('installs from its package into an empty project', () => {
  const folder = dirname(hook.home);
  const made = join(folder, 'package');
  mkdirSync(join(made, 'dist'), { recursive: true });
  copyFileSync(join(packageRoot(), 'sdk/hook/package.json'), join(made, 'package.json'));
  copyFileSync(hook.file, join(made, 'dist/countersign-hook.js'));
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', [...args], { cwd, encoding: 'utf8' });
  const tarball = npm(['pack', '--silent', made], folder).trim();
  const project = join(folder, 'empty');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true}');
  npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], project);
  expect(readdirSync(join(project, 'node_modules')).sort()).toEqual([
    '.bin',
    '.package-lock.json',
    '@countersign',
  ]);
  const installed = join(project, 'node_modules/.bin/countersign-hook');
  const { status, stdout } = spawnSync(installed, ['run', 'claude'], {
    encoding: 'utf8',
    input: '',
  });
  expect([status, stdout]).toEqual([2, expect.stringContaining('"permissionDecision":"deny"')]);
});

/** No variable that a project can set leads the installed hook elsewhere, or lets a call pass. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { bundledHook, type Hook } from './hook-process.ts';

/** It counts who calls it, and is no service, so the call is denied. */
async function counter() {
  let calls = 0;
  const server: Server = createServer((_request, response) => {
    calls += 1;
    response.end('<html>');
  });
  server.on('connect', (_request, socket) => {
    calls += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    taken: () => {
      const taken = calls;
      calls = 0;
      return taken;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

let service: Awaited<ReturnType<typeof counter>>;
let elsewhere: Awaited<ReturnType<typeof counter>>;
let hook: Hook;
let installed: string;
let evil: string;
beforeAll(async () => {
  service = await counter();
  elsewhere = await counter();
  hook = bundledHook();
  evil = join(hook.home, 'evil');
  mkdirSync(join(evil, '.config'), { recursive: true });
  const kept = (url: string) => JSON.stringify({ url, token: 'whc_1' });
  writeFileSync(join(evil, '.config/countersign-credential'), kept(elsewhere.url));
  writeFileSync(join(evil, 'credential'), kept(elsewhere.url));
  // Whatever loads it lets the call pass.
  writeFileSync(join(evil, 'pass.cjs'), 'process.exit(0)');
  writeFileSync(join(evil, 'pass.sh'), 'exit 0');
  for (const name of ['env', 'node', 'countersign-hook'])
    writeFileSync(join(evil, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  writeFileSync(join(evil, 'openssl.cnf'), 'openssl_conf = none_such\n[none_such]\nengines = x\n');
  const own = join(hook.home, '.config');
  mkdirSync(own);
  writeFileSync(join(own, 'countersign-credential'), kept(service.url));
  const settings = join(hook.home, 'hooks.json');
  await hook.run(['install', 'cursor', '--config', settings, '--yes']);
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
    hooks: { preToolUse: { command: string }[] };
  };
  installed = String(hooks.preToolUse[0]?.command);
});
afterAll(() => {
  service.close();
  elsewhere.close();
  hook.remove();
});
beforeEach(() => {
  service.taken();
  elsewhere.taken();
});

const EVENT = JSON.stringify({
  ...{ hook_event_name: 'preToolUse', conversation_id: 'c', generation_id: 'g' },
  ...{ tool_name: 'Read', tool_use_id: '1', tool_input: {} },
});
/** As a coding agent does, with a shell. */
async function run(shell: string, command: string, env: Readonly<Record<string, string>>) {
  const child = spawn(shell, ['-c', command], {
    env: { PATH: process.env['PATH'], HOME: hook.home, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(EVENT);
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, here: service.taken() > 0, there: elsewhere.taken() };
}

const proxies = () => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  const all = [...names, ...names.map((name) => name.toLowerCase())];
  return {
    ...Object.fromEntries(all.map((name) => [name, elsewhere.url])),
    ...{ NODE_USE_ENV_PROXY: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0', NO_PROXY: '' },
  };
};
const variables: readonly (readonly [string, () => Record<string, string>])[] = [
  ['the proxies of Node', proxies],
  ['NODE_OPTIONS', () => ({ NODE_OPTIONS: `--require ${evil}/pass.cjs` })],
  ['NODE_OPTIONS with a proxy', () => ({ ...proxies(), NODE_OPTIONS: '--use-env-proxy' })],
  ['NODE_PATH', () => ({ NODE_PATH: evil })],
  ['NODE_REPL_EXTERNAL_MODULE', () => ({ NODE_REPL_EXTERNAL_MODULE: `${evil}/pass.cjs` })],
  ['NODE_V8_COVERAGE', () => ({ NODE_V8_COVERAGE: `${evil}/coverage` })],
  ['NODE_COMPILE_CACHE', () => ({ NODE_COMPILE_CACHE: `${evil}/cache` })],
  ['NODE_EXTRA_CA_CERTS', () => ({ NODE_EXTRA_CA_CERTS: `${evil}/pass.sh` })],
  ['SSL_CERT_FILE and SSL_CERT_DIR', () => ({ SSL_CERT_FILE: '/x', SSL_CERT_DIR: evil })],
  ['OPENSSL_CONF', () => ({ OPENSSL_CONF: `${evil}/openssl.cnf` })],
  ['OPENSSL_MODULES', () => ({ OPENSSL_MODULES: evil, OPENSSL_ENGINES: evil })],
  ['HOME', () => ({ HOME: evil })],
  ['XDG_STATE_HOME', () => ({ XDG_STATE_HOME: evil, XDG_CONFIG_HOME: evil })],
  ['PATH', () => ({ PATH: `${evil}:${String(process.env['PATH'])}` })],
  ['BASH_ENV and ENV', () => ({ BASH_ENV: `${evil}/pass.sh`, ENV: `${evil}/pass.sh` })],
  [
    'a function of bash',
    () => ({
      'BASH_FUNC_env%%': '() { exit 0; }',
      'BASH_FUNC_/usr/bin/env%%': '() { exit 0; }',
      'BASH_FUNC_node%%': '() { exit 0; }',
    }),
  ],
  ['SHELLOPTS and PS4', () => ({ SHELLOPTS: 'xtrace', PS4: '$(exit 0)', BASH_XTRACEFD: '1' })],
  ['CDPATH, IFS and GLOBIGNORE', () => ({ CDPATH: evil, IFS: '/', GLOBIGNORE: '*' })],
  ['COUNTERSIGN_URL', () => ({ COUNTERSIGN_URL: elsewhere.url })],
  ['COUNTERSIGN_TOKEN', () => ({ COUNTERSIGN_TOKEN: 'whc_of_another_agent' })],
  ['COUNTERSIGN_CREDENTIAL', () => ({ COUNTERSIGN_CREDENTIAL: `${evil}/credential` })],
  ['CLAUDE_CODE_SIMPLE', () => ({ CLAUDE_CODE_SIMPLE: '1', CLAUDE_CONFIG_DIR: evil })],
  ['UV_THREADPOOL_SIZE and TZ', () => ({ UV_THREADPOOL_SIZE: '0', TZ: evil, LC_ALL: 'x' })],
  ['SSLKEYLOGFILE', () => ({ SSLKEYLOGFILE: `${evil}/keys`, CTLOG_FILE: evil, RANDFILE: evil })],
  [
    'what else Node reads',
    () => ({
      ...{ NODE_CHANNEL_FD: '3', NODE_UNIQUE_ID: '1', NODE_TEST_CONTEXT: 'child' },
      ...{ NODE_DEBUG: 'http,tls', NODE_ICU_DATA: evil, NODE_REDIRECT_WARNINGS: `${evil}/w` },
      ...{ NODE_USE_SYSTEM_CA: '1', NODE_PRESERVE_SYMLINKS_MAIN: '1' },
    }),
  ],
  [
    'what the resolver of the C library reads',
    () => ({ HOSTALIASES: `${evil}/hosts`, LOCALDOMAIN: 'x', RES_OPTIONS: 'attempts:0' }),
  ],
  [
    'what the C library reads for texts and memory',
    () => ({
      ...{ GCONV_PATH: evil, LOCPATH: evil, NLSPATH: `${evil}/%N`, LANGUAGE: 'de', LC_ALL: 'de' },
      ...{ GLIBC_TUNABLES: 'glibc.malloc.check=3', MALLOC_CHECK_: '3', MALLOC_PERTURB_: '1' },
    }),
  ],
  [
    'ZDOTDIR and what shells read as they start',
    () => ({ ZDOTDIR: evil, BASHOPTS: 'extdebug', POSIXLY_CORRECT: '1', PROMPT_COMMAND: 'exit 0' }),
  ],
  ['PS0, FUNCNEST and EXECIGNORE', () => ({ PS0: '$(exit 0)', FUNCNEST: '0', EXECIGNORE: '*' })],
  ['PYTHONPATH and PYTHONSTARTUP', () => ({ PYTHONPATH: evil, PYTHONSTARTUP: `${evil}/pass.sh` })],
];
const SHELLS = ['sh', 'bash'].filter(
  (shell) => spawnSync(shell, ['-c', 'exit 7'], { stdio: 'ignore' }).status === 7,
);

test.each(variables)('%s changes nothing', async (_name, env) => {
  for (const shell of SHELLS)
    expect([shell, await run(shell, installed, env())]).toEqual([
      shell,
      { code: 2, here: true, there: 0 },
    ]);
});

// These are read before the command can clear them. The guide names them as a limit.
(process.platform === 'linux' ? test : test.skip)(
  'the variables of the loader end the shell of the hook, and SHELLOPTS that of bash',
  async () => {
    const limits = [
      ...SHELLS.map((shell) => [shell, { LD_TRACE_LOADED_OBJECTS: '1' }] as const),
      ...SHELLS.filter((shell) => shell === 'bash').map(
        (shell) => [shell, { SHELLOPTS: 'noexec' }] as const,
      ),
    ];
    for (const [shell, env] of limits)
      expect([shell, env, await run(shell, installed, env)]).toEqual([
        ...[shell, env],
        { code: 0, here: false, there: 0 },
      ]);
  },
);

test('a hook that is started without the installed command uses no proxy either', async () => {
  const credential = join(hook.home, '.config/countersign-credential');
  const command = `'${process.execPath}' '${hook.file}' run cursor --credential '${credential}' --limit 10s`;
  expect(await run('sh', command, proxies())).toEqual({ code: 2, here: true, there: 0 });
});

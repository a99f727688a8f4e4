/** Starts the coding agent itself once in this folder, with a model on this machine that calls one harmless command. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { startModel, type Model } from './model.ts';
import { TRIAL_ID } from './run/decide.ts';
import type { Runtime } from './runtimes.ts';
import type { Look } from './status.ts';
import { versionOf } from './versions.ts';

export interface Tried {
  readonly isWell: boolean;
  readonly text: string;
}

const LONGEST_MS = 60_000;

/** Well where the program is not installed: there is nothing to try. */
export async function tryProgram(runtime: Runtime, { binary }: Look): Promise<Tried> {
  if (runtime.name === 'cursor')
    return { isWell: true, text: 'not started: it has no command that could be tried' };
  const { version } = await versionOf(runtime, binary);
  if (version === undefined) return { isWell: true, text: 'not started: it is not installed' };
  const mark = randomUUID();
  const id = `${TRIAL_ID}${mark.slice(0, 8)}`;
  const model = await startModel(runtime.name, { id, command: `echo ${mark}` });
  try {
    const program = binary ?? runtime.name;
    await (runtime.name === 'claude'
      ? run(program, claudeArgs(model), { ANTHROPIC_API_KEY: 'none' })
      : run(program, codexArgs(model), { COUNTERSIGN_HOOK_TEST_KEY: 'none' }));
    return told(model.result(), { mark, version });
  } finally {
    model.close();
  }
}

function told(
  result: string | undefined,
  { mark, version }: { readonly mark: string; readonly version: string },
): Tried {
  if (result?.includes(TRIAL_ID))
    return { isWell: true, text: `${version} was started here, and asked` };
  if (result?.includes(mark))
    return {
      isWell: false,
      text: `${version} was started here, and ran a command WITHOUT a question`,
    };
  const why = result ?? 'it called no tool';
  return {
    isWell: false,
    text: `${version} was started here, and did not ask: ${why.slice(0, 300)}`,
  };
}

/** The address in the settings of the call counts more than that of a user or a project. */
const claudeArgs = ({ url }: Model) => [
  ...['-p', 'Test of countersign-hook', '--no-session-persistence', '--allowedTools', 'Bash'],
  ...['--settings', JSON.stringify({ env: { ANTHROPIC_BASE_URL: url } })],
];

function codexArgs({ url }: Model): string[] {
  const provider = { name: 'test', base_url: `${url}/v1`, wire_api: 'responses' };
  const options = { ...provider, env_key: 'COUNTERSIGN_HOOK_TEST_KEY' };
  const settings = Object.entries(options).flatMap(([name, value]) => [
    '-c',
    `model_providers.countersign_test.${name}=${JSON.stringify(value)}`,
  ]);
  return [
    ...['exec', '--skip-git-repo-check', '--ephemeral', ...settings],
    ...['-c', 'model_provider="countersign_test"', '-c', 'model="gpt-test"'],
    'Test of countersign-hook',
  ];
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(program, args, {
    ...{ stdio: 'ignore', timeout: LONGEST_MS, killSignal: 'SIGKILL' },
    env: {
      ...{ ...process.env, ...env, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      DISABLE_AUTOUPDATER: '1',
    },
  });
  await once(child, 'exit').catch(() => undefined);
}

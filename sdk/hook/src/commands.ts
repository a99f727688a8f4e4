/** The commands beside `run`. Each returns the exit status: 0 done, 1 not done. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { credentialsFor } from '../../typescript/src/credentials.ts';
import { callService } from '../../typescript/src/http.ts';
import { change, readSettings, say } from './files.ts';
import { secondsOf } from './limit.ts';
import { RUNTIME_NAMES, runtimeNamed, type Runtime } from './runtimes.ts';
import {
  CLEARED,
  commandsIn,
  gapsIn,
  requirementsOf,
  requireUsable,
  SettingsError,
  withHook,
  withoutHook,
} from './settings.ts';
import { tryOut } from './trial.ts';
import { VERSION } from './version.ts';
import { versionOf } from './versions.ts';

const USAGE = `countersign-hook ${VERSION}: asks Countersign before a tool call of a coding agent runs

  countersign-hook install claude|codex|cursor   shows the change of the settings, and writes it with --yes
  countersign-hook status [claude|codex|cursor]  whether it is installed, works, and blocks when it fails
  countersign-hook test claude|codex|cursor      asks for a harmless call, and shows what failures do
  countersign-hook uninstall claude|codex|cursor
  countersign-hook run claude|codex|cursor       what the coding agent starts

  --scope user|project   whose settings. Default: user
  --config FILE          these settings
  --limit 10m            how long the coding agent waits for the hook
  --url URL              the address of Countersign
  --binary PATH          the program whose version is asked
  --requirements         with install codex: prints requirements.toml for administrators
  --yes                  writes without a question`;

const OPTIONS = {
  scope: { type: 'string', default: 'user' },
  config: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  binary: { type: 'string' },
  requirements: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const;
const read = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
type Values = ReturnType<typeof read>['values'];

const COMMANDS: Readonly<
  Record<string, (runtime: Runtime, values: Values) => Promise<boolean | undefined>>
> = {
  install,
  uninstall,
  status,
  test: async (runtime, values) =>
    await tryOut(runtime, { file: ownFile(), url: addressFor(values) }),
};

/** A hook that is started by a wrong name must not pass, so everything unknown is 2. */
export async function perform(name: string, args: readonly string[]): Promise<number> {
  if (['--help', 'help', '--version'].includes(name)) {
    say(name === '--version' ? VERSION : USAGE);
    return 0;
  }
  try {
    const command = COMMANDS[name];
    const { values, positionals } = read(args);
    const areAll = positionals.length === 0 && name === 'status';
    const names = areAll ? RUNTIME_NAMES : positionals;
    const runtimes = names.map(runtimeNamed);
    if (!command || runtimes.length === 0 || runtimes.includes(undefined))
      throw new TypeError(USAGE);
    const outcomes: (boolean | undefined)[] = [];
    for (const runtime of runtimes) if (runtime) outcomes.push(await command(runtime, values));
    const counted = areAll ? outcomes.filter((each) => each !== undefined) : outcomes;
    return counted.length > 0 && counted.every((each) => each === true) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof TypeError ? 2 : 1;
  }
}

async function install(runtime: Runtime, values: Values): Promise<boolean> {
  if (process.platform === 'win32')
    throw new Error('install writes commands for the shells of Linux and macOS only.');
  const { version, refusal } = await versionOf(runtime, values.binary);
  const isTooOld = version !== undefined && refusal !== undefined;
  if (refusal !== undefined && (isTooOld || runtime.name === 'claude')) throw new Error(refusal);
  const entry = entryFor(runtime, values);
  if (values.requirements) {
    if (runtime.name !== 'codex') throw new TypeError('Only Codex has a requirements.toml.');
    process.stdout.write(requirementsOf(entry, dirname(ownFile())));
    return true;
  }
  const file = fileOf(runtime, values);
  const isDone = await inFile(file, async () => {
    const before = await readSettings(file);
    const after = withHook(before, runtime, entry);
    requireUsable(after, runtime);
    if (after !== before) return await change(file, { before, after, isAgreed: values.yes });
    say(`${file} has the hook already.`);
    return true;
  });
  if (isDone) say(nextSteps(runtime));
  return isDone;
}

const TERMINALS = 'unified_exec_tty';
const WHY_NO_TERMINALS = 'Codex asks no hook about input for a running terminal';

function nextSteps({ name, title }: Runtime): string {
  if (name === 'codex')
    return `Two steps are yours:
- Codex skips the hook until you trust it: start codex and open /hooks.
- Put ${TERMINALS} = false below [features] in config.toml: ${WHY_NO_TERMINALS}.
For everyone on a machine, without these steps: countersign-hook install codex --requirements.`;
  return `Restart ${title}. Then try it: countersign-hook test ${name}.`;
}

async function uninstall(runtime: Runtime, values: Values): Promise<boolean> {
  const file = fileOf(runtime, values);
  return await inFile(file, async () => {
    const before = await readSettings(file);
    const after = withoutHook(before, runtime);
    if (after !== before) return await change(file, { before, after, isAgreed: values.yes });
    say(`${file} has no hook of Countersign.`);
    return true;
  });
}

/** Undefined where it is not installed, which is no fault as long as another one is. */
async function status(runtime: Runtime, values: Values): Promise<boolean | undefined> {
  const file = fileOf(runtime, values);
  const text = await inFile(file, () => readSettings(file));
  const gaps = await inFile(file, async () => gapsIn(text, runtime));
  if (!gaps) {
    say(`${runtime.title}: not installed in ${file}`);
    return undefined;
  }
  const { version, refusal } = await versionOf(runtime, values.binary);
  if (refusal !== undefined && (version !== undefined || runtime.name === 'claude'))
    gaps.push(refusal);
  if (runtime.name === 'codex') gaps.push(...(await gapsOfCodex(file, runtime)));
  const reached = await reach(commandsIn(text, runtime)[0] ?? '');
  say(`${runtime.title}: installed in ${file}
  version           ${version ?? 'not known'} (hook ${VERSION})
  blocks on failure ${gaps.length === 0 ? 'yes' : `NO: ${gaps.join('; ')}`}
  service           ${reached ?? 'reached'}`);
  if (runtime.name === 'codex')
    say('  trust             Codex skips the hook until you trust it: look at /hooks in codex');
  return gaps.length === 0 && reached === undefined;
}

/** What Codex runs without a hook. */
async function gapsOfCodex(file: string, runtime: Runtime): Promise<string[]> {
  const folders = new Set([dirname(file), dirname(runtime.userFile())]);
  const files = await Promise.all(
    [...folders].map((folder) => readSettings(join(folder, 'config.toml'))),
  );
  const isOff = (feature: string) =>
    files.some((text) => new RegExp(`^\\s*(features\\.)?${feature}\\s*=\\s*false`, 'm').test(text));
  return [
    ...(isOff('hooks') || isOff('codex_hooks') ? ['config.toml turns hooks off'] : []),
    ...(isOff(TERMINALS) ? [] : [`config.toml has no ${TERMINALS} = false: ${WHY_NO_TERMINALS}`]),
  ];
}

/** Undefined, or why the hook cannot ask. */
async function reach(command: string): Promise<string | undefined> {
  const [, url] = /--url '([^']+)'/.exec(command) ?? [];
  try {
    const credentials = credentialsFor({ url });
    const limits = { until: performance.now() + 5_000 };
    const token = await credentials.token(0, limits);
    const path = '/requests?status=pending';
    await callService(credentials.url, { method: 'GET', path, token }, limits);
    return undefined;
  } catch (error) {
    return `NOT reached, so every call is denied: ${(error as Error).message}`;
  }
}

/** What the runtime starts: this program, with this Node and this address, whatever its environment says. */
function entryFor(runtime: Runtime, values: Values) {
  const timeout = secondsOf(values.limit);
  const words = [process.execPath, ownFile()].map(quoted).join(' ');
  const command = `${CLEARED} ${words} run ${runtime.name} --limit ${String(timeout)}s --url ${quoted(addressFor(values))}`;
  // Codex runs the tool when a hook is killed or missing, so the shell says no for it.
  return {
    timeout,
    command:
      runtime.name === 'codex'
        ? `${command} || { echo 'Countersign did not approve this call.' >&2; exit 2; }`
        : command,
  };
}

const addressFor = ({ url }: Values): string => credentialsFor({ url }).url;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function ownFile(): string {
  const file = realpathSync(process.argv[1] ?? '');
  if (file.includes('/_npx/'))
    throw new Error('npx removes this program again. Install it: npm install --global.');
  return file;
}

function fileOf(runtime: Runtime, { config, scope }: Values): string {
  if (config !== undefined) return resolve(config);
  if (scope === 'user') return runtime.userFile();
  if (scope !== 'project') throw new TypeError('--scope is user or project.');
  if (resolve('.') === homedir()) throw new TypeError('This folder is your home, not a project.');
  return resolve(runtime.file);
}

/** Names the file in what is wrong with it. */
async function inFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SettingsError)
      throw new Error(`${file} was left as it is. ${error.message}`, { cause: error });
    throw error;
  }
}

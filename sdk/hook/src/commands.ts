/** The commands other than `run`. Each returns the exit status: 0 done, 1 not done. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname, homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { enroll, EnrollError } from '../../typescript/src/enroll.ts';
import { NO_TERMINALS, TERMINALS } from './codex.ts';
import { managedSettingsOf, requirementsOf } from './deployed.ts';
import { addressFor, credentialOf, entriesFor, ownFile } from './entries.ts';
import { change, isWanted, readSettings, say } from './files.ts';
import { limitIn } from './limit.ts';
import { clearStop, stops } from './run/kept.ts';
import { RUNTIME_NAMES, runtimeNamed, type Runtime } from './runtimes.ts';
import { othersIn, scopesOf } from './scopes.ts';
import { commandsIn, requireUsable, SettingsError, withHook, withoutHook } from './settings.ts';
import { status } from './status.ts';
import { tryOut } from './trial.ts';
import { VERSION } from './version.ts';
import { versionOf } from './versions.ts';

const USAGE = `countersign-hook ${VERSION}: asks Countersign before a tool call of a coding agent runs

  countersign-hook enroll --url URL              gets a credential for this machine, with a person's consent
  countersign-hook install claude|codex|cursor   shows the change of the settings, and writes it with --yes
  countersign-hook status [claude|codex|cursor]  whether calls in this folder are asked about, and why not
  countersign-hook test claude|codex|cursor      asks for a harmless call, shows what failures do, and starts the agent once
  countersign-hook resume [SESSION]              shows the sessions that were stopped, and lets them go on
  countersign-hook uninstall claude|codex|cursor
  countersign-hook run claude|codex|cursor       what the coding agent starts

  --scope user|project   whose settings. Default: user
  --config FILE          these settings
  --credential FILE      where the token is. Default: ~/.config/countersign-credential
  --limit 10m            how long the coding agent waits for the hook
  --url URL              the address of Countersign
  --binary PATH          the program whose version is asked
  --managed              with install claude: prints managed-settings.json for administrators
  --requirements         with install codex: prints requirements.toml for administrators
  --agent, --name, --force   with enroll: the agent, the name of this machine, replace the credential
  --yes                  writes without a question`;

const OPTIONS = {
  scope: { type: 'string', default: 'user' },
  config: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  binary: { type: 'string' },
  credential: { type: 'string' },
  agent: { type: 'string' },
  name: { type: 'string' },
  force: { type: 'boolean', default: false },
  managed: { type: 'boolean', default: false },
  requirements: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;
const read = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
type Values = ReturnType<typeof read>['values'];

const COMMANDS: Readonly<
  Record<string, (runtime: Runtime, values: Values) => Promise<boolean | undefined>>
> = {
  install,
  uninstall,
  status: async (runtime, { config, binary }) =>
    await status(runtime, { file: config === undefined ? undefined : resolve(config), binary }),
  test: async (runtime, values) => {
    const file = values.config === undefined ? undefined : resolve(values.config);
    const start = { file: ownFile(), url: addressFor({ ...values, place: 'user' }) };
    const credential = credentialOf(values.credential);
    return await tryOut(runtime, { ...start, credential }, { file, binary: values.binary });
  },
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
    if (values.help) return helpFor(name, positionals);
    if (name === 'enroll') return await enrollHere(values, positionals);
    if (name === 'resume') return await resume(values, positionals);
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

/** Throws for what would not be done either. */
function helpFor(name: string, positionals: readonly string[]): number {
  const areKnown = name in COMMANDS && positionals.every((each) => runtimeNamed(each));
  if (!areKnown && !['enroll', 'resume'].includes(name)) throw new TypeError(USAGE);
  say(USAGE);
  return 0;
}

async function install(runtime: Runtime, values: Values): Promise<boolean> {
  if (process.platform === 'win32')
    throw new Error('install writes commands for the shells of Linux and macOS only.');
  const { version, refusal } = await versionOf(runtime, values.binary);
  const isTooOld = version !== undefined && refusal !== undefined;
  if (refusal !== undefined && (isTooOld || runtime.name === 'claude')) throw new Error(refusal);
  if (values.requirements || values.managed) return deploy(runtime, values);
  const place = values.scope === 'project' ? 'project' : 'user';
  const entries = entriesFor(runtime, { ...values, place });
  const file = fileOf(runtime, values);
  const isDone = await inFile(file, async () => {
    const old = await readSettings(file);
    const changed = withHook(old, runtime, entries);
    requireUsable(changed, runtime);
    requireSameLimit({ runtime, file, timeout: entries.before.timeout });
    if (changed !== old) return await change(file, { old, changed, isAgreed: values.yes });
    say(`${file} has the hook already.`);
    return true;
  });
  if (isDone) say(nextSteps(runtime));
  if (runtime.name === 'claude')
    for (const { scope, event, file: of, what } of othersIn(scopesOf(runtime), runtime))
      say(`Another hook, at ${event} of ${scope} (${of}), ${what}.`);
  return isDone;
}

/** The hooks of two scopes ask one question. With two limits it would be two, and the second one is refused. */
function requireSameLimit({ runtime, file, timeout }: LimitedHook): void {
  const scopes = runtime.name === 'claude' ? scopesOf(runtime) : [];
  const read = scopes.filter(({ fault }) => fault === undefined).map((scope) => scope.file);
  for (const other of new Set([runtime.userFile(), resolve(runtime.file), ...read])) {
    const [command = ''] =
      other === file || !existsSync(other) ? [] : commandsIn(readFileSync(other, 'utf8'), runtime);
    const limit = limitIn(command);
    if (limit !== undefined && limit !== timeout)
      throw new Error(
        `${other} has the hook with --limit ${String(limit)}s. Use the same limit here, or each call is denied.`,
      );
  }
}

interface LimitedHook {
  readonly runtime: Runtime;
  readonly file: string;
  /** In seconds. */
  readonly timeout: number;
}

function deploy(runtime: Runtime, values: Values): boolean {
  const right = values.managed ? 'claude' : 'codex';
  if (runtime.name !== right)
    throw new TypeError('--managed is for claude, and --requirements is for codex.');
  const entries = entriesFor(runtime, { ...values, place: 'machine' });
  process.stdout.write(
    values.managed
      ? managedSettingsOf(runtime, entries)
      : requirementsOf(runtime, entries, dirname(ownFile())),
  );
  return true;
}

async function enrollHere(values: Values, positionals: readonly string[]): Promise<number> {
  const url = values.url ?? process.env['COUNTERSIGN_URL'];
  if (!url || positionals.length > 0)
    throw new TypeError('Say where Countersign answers: countersign-hook enroll --url URL.');
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      stop.abort();
    });
  const { agent, name = hostname(), force } = values;
  const runtime = `countersign-hook ${VERSION} on ${process.platform}`;
  const file = credentialOf(values.credential);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return await enroll({ url, file, agent, name, force, runtime }, stop.signal);
  } catch (error) {
    if (!(error instanceof EnrollError)) throw error;
    throw new Error(error.message, { cause: error });
  }
}

/** For a person: an agent that is stopped cannot start it. */
async function resume(values: Values, [session]: readonly string[]): Promise<number> {
  const found = (await stops()).filter((stop) => session === undefined || stop.session === session);
  if (found.length === 0) {
    say(session === undefined ? 'No session is stopped.' : `No session ${session} is stopped.`);
    return session === undefined ? 0 : 1;
  }
  for (const stop of found) {
    const { runtime, at, detail, request, isReported } = stop;
    say(`Session ${stop.session} of ${runtime}, stopped at ${at}.
  ${detail}
  request ${request ?? 'not known'}${isReported ? ', reported to Countersign' : ''}`);
    if (session === undefined) continue;
    if (!values.yes && !(await isWanted('Let this session go on? [y/N] '))) return 1;
    await clearStop(stop);
    say('It goes on.');
  }
  if (session === undefined) say('To let one go on: countersign-hook resume SESSION');
  return 0;
}

function nextSteps({ name, title }: Runtime): string {
  if (name === 'codex')
    return `Two steps are yours:
- Codex skips the hook until you trust it: start codex and open /hooks.
- Put ${TERMINALS} = false below [features] in config.toml: ${NO_TERMINALS}.
For everyone on a machine, without these steps: countersign-hook install codex --requirements.`;
  return `Restart ${title}. Then try it: countersign-hook test ${name}.`;
}

async function uninstall(runtime: Runtime, values: Values): Promise<boolean> {
  const file = fileOf(runtime, values);
  return await inFile(file, async () => {
    const old = await readSettings(file);
    const changed = withoutHook(old, runtime);
    if (changed !== old) return await change(file, { old, changed, isAgreed: values.yes });
    say(`${file} has no hook of Countersign.`);
    return true;
  });
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

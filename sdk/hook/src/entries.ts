/** The command that the runtime starts. Nothing of its environment reaches the hook but the names that stand here. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { credentialsFor } from '../../typescript/src/credentials.ts';
import { accessFor, pathOf } from './run/access.ts';
import { secondsOf } from './limit.ts';
import type { Runtime } from './runtimes.ts';

/** By its path, because a project can set PATH. */
export const CLEARED = '/usr/bin/env -i';
export const HOME_CREDENTIAL = '~/.config/countersign-credential';
/** In seconds. The agent waits for it after each call. */
const AFTER_LIMIT = 30;

export interface HookEntry {
  readonly command: string;
  /** In seconds. */
  readonly timeout: number;
}

/** Before a call, and after it. */
export interface Entries {
  readonly before: HookEntry;
  readonly after: HookEntry;
}

export interface Installed {
  /** `machine` is for every user of a machine, `project` for every machine of a project. */
  readonly place: 'user' | 'project' | 'machine';
  readonly limit?: string | undefined;
  readonly url?: string | undefined;
  readonly credential?: string | undefined;
}

export function entriesFor(runtime: Runtime, installed: Installed): Entries {
  const timeout = secondsOf(installed.limit);
  const entry = (seconds: number): HookEntry => {
    const command = `${wordsOf(runtime, installed).join(' ')} --limit ${String(seconds)}s --url ${quoted(addressFor(installed))} --scope ${installed.place}`;
    // Codex runs the tool when a hook is killed or missing, so the shell says no for it.
    return {
      timeout: seconds,
      command:
        runtime.name === 'codex'
          ? `${command} || { echo 'Countersign did not approve this call.' >&2; exit 2; }`
          : command,
    };
  };
  return { before: entry(timeout), after: entry(AFTER_LIMIT) };
}

function wordsOf({ name }: Runtime, { place, credential }: Installed): string[] {
  const run = ['run', name, '--credential'];
  // Other people's machines run this command, so `~` stays.
  const shared = quoted(credential ?? HOME_CREDENTIAL);
  if (place === 'project') return [CLEARED, 'PATH="$PATH"', 'countersign-hook', ...run, shared];
  const program = [process.execPath, ownFile()].map(quoted);
  if (place === 'machine') return [CLEARED, ...program, ...run, shared];
  return [CLEARED, ...namesNeeded(), ...program, ...run, quoted(credentialOf(credential))];
}

/** Of the person who installs it, and fixed then. */
function namesNeeded(): string[] {
  const { XDG_STATE_HOME, NODE_EXTRA_CA_CERTS } = process.env;
  const names = { HOME: homedir(), XDG_STATE_HOME, NODE_EXTRA_CA_CERTS };
  return Object.entries(names).flatMap(([name, value]) =>
    value ? [`${name}=${quoted(resolve(value))}`] : [],
  );
}

/** Where the token of this person is. */
export const credentialOf = (given?: string): string =>
  resolve(
    pathOf(
      given ??
        (process.env['COUNTERSIGN_CREDENTIAL'] ||
          join(homedir(), HOME_CREDENTIAL.slice('~/'.length))),
    ),
  );

/** Of the option, the environment, or the credential. At a place of a person, the credential must be one for it. */
export function addressFor({ place, url, credential }: Installed): string {
  if (place !== 'user') return credentialsFor({ url, token: 'none' }).url;
  const given = url ?? (process.env['COUNTERSIGN_URL'] || undefined);
  return accessFor({ url: given, credential: credentialOf(credential) }).url;
}

export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function ownFile(): string {
  const file = realpathSync(process.argv[1] ?? '');
  if (file.includes('/_npx/'))
    throw new Error('npx removes this program again. Install it: npm install --global.');
  return file;
}

const QUOTED = String.raw`'(?:[^']|'\\'')*'`;

/** As it is written here, and nothing before or after it: with this Node and this program, or as `--scope project` names it. */
export function isOwnCommand(command: string, { name }: Runtime): boolean {
  const match = new RegExp(
    String.raw`^/usr/bin/env -i (?:(?:(?:HOME|XDG_STATE_HOME|NODE_EXTRA_CA_CERTS)=Q )*(?<program>Q Q)|PATH="\$PATH" countersign-hook) run ${name} --credential Q --limit \d+s --url Q --scope (?:user|project|machine)(?: \|\| \{ echo 'Countersign did not approve this call\.' >&2; exit 2; \})?$`.replaceAll(
      'Q',
      QUOTED,
    ),
  ).exec(command);
  const program = match?.groups?.['program'];
  if (!match || program === undefined) return match !== null;
  return program === [process.execPath, ownFile()].map(quoted).join(' ');
}

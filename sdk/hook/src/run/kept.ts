/**
 * What the hook keeps of approved calls until they ran, to compare them, and of sessions in which another call ran. Only this
 * user can read the folder.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../../../typescript/src/exact.ts';
import { stateFolder, stateFolders } from './pairs.ts';

/** Of which call, and which hook of it: a runtime starts one for each scope of its settings. */
export interface KeptName {
  readonly session: string;
  readonly callId: string;
  readonly scope: string;
}

/** A call that was approved and started. */
export interface Kept {
  readonly id: string;
  readonly tool: string;
  /** JSON text, as it was approved. */
  readonly input: string;
}

/** Why a session is stopped. */
export interface Stop {
  readonly session: string;
  readonly runtime: string;
  /** Absent where no approval of the call is known. */
  readonly request?: string;
  readonly detail: string;
  readonly digest: string;
  readonly at: string;
  readonly isReported: boolean;
}

/** What the runtime never reported on is removed after this time. */
const LIFE_MS = 7 * 24 * 3_600_000;

const LOOK_MS = 3_600_000;

export const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
const asked = () => join(stateFolder(), 'asked');
const STOPPED = 'stopped';
const stopped = () => join(stateFolder(), STOPPED);
/** Parallel calls may have one id. */
const startOf = ({ session, callId, scope }: KeptName) => `${digestOf(session, callId, scope)}.`;
const fileOf = (name: KeptName, input: string) =>
  join(asked(), `${startOf(name)}${digestOf(comparable(input))}`);
const stopFile = (session: string) => join(stopped(), digestOf(session));

/** Resolves once it is safe: a call that could not be compared does not run. */
export async function keep(name: KeptName, kept: Kept): Promise<void> {
  await removeOld(asked()).catch(() => undefined);
  await write(fileOf(name, kept.input), kept);
}

/** What was approved with this input, else with another one. Only one event of a call gets it. */
export async function takeKept(
  name: KeptName,
  input: string | undefined,
): Promise<Kept | undefined> {
  const same = input === undefined ? undefined : await take(fileOf(name, input));
  if (same) return same;
  const files = await readdir(asked()).catch(() => []);
  for (const file of files.filter((each) => isKept(each) && each.startsWith(startOf(name)))) {
    const other = await take(join(asked(), file));
    if (other) return other;
  }
  return undefined;
}

const isKept = (file: string) => /^[\da-f]+\.[\da-f]+$/.test(file);

async function take(file: string): Promise<Kept | undefined> {
  const mine = `${file}.${String(process.pid)}`;
  try {
    await rename(file, mine);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const kept = (await read(mine)) as Kept | undefined;
  await rm(mine, { force: true });
  return kept;
}

/** What ran may be no exact JSON. */
function comparable(input: string): string {
  try {
    return canonical(input);
  } catch {
    return input;
  }
}

export const stopSession = async (stop: Stop): Promise<void> => {
  await write(stopFile(stop.session), stop);
};

export const stopOf = async (session: string): Promise<Stop | undefined> =>
  (await read(stopFile(session))) as Stop | undefined;

export async function stops(): Promise<Stop[]> {
  const files = await Promise.all(
    stateFolders().map(async (folder) => {
      const names = await readdir(join(folder, STOPPED)).catch(() => []);
      return names.map((name) => join(folder, STOPPED, name));
    }),
  );
  const found = await Promise.all(files.flat().map(read));
  return found.filter((each) => each !== undefined) as Stop[];
}

export const clearStop = async ({ session }: Stop): Promise<void> => {
  for (const folder of stateFolders())
    await rm(join(folder, STOPPED, digestOf(session)), { force: true });
};

export async function write(file: string, value: unknown): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  const written = `${file}.${String(process.pid)}.new`;
  await writeFile(written, JSON.stringify(value), { mode: 0o600, flush: true });
  await rename(written, file);
}

/** Throws for a file that is there and cannot be read: a stop must not be lost. */
async function read(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** It looks at every file, so it does not at every call. */
export async function removeOld(folder: string): Promise<void> {
  const mark = join(folder, 'looked');
  const last = await stat(mark).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  if (Math.abs(Date.now() - last) < LOOK_MS) return;
  await writeFile(mark, '', { mode: 0o600 });
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > LIFE_MS) await rm(file, { force: true });
  }
}

/**
 * What the hook keeps of approved calls until they ran, to compare them, and of sessions in which another call ran. Only this
 * user can read the folder.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFolder, stateFolders } from './pairs.ts';

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

/** Approved calls that the runtime never reported on are removed after this time. */
const LIFE_MS = 7 * 24 * 3_600_000;

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
const asked = () => join(stateFolder(), 'asked');
const STOPPED = 'stopped';
const stopped = () => join(stateFolder(), STOPPED);
const fileOf = (session: string, callId: string) =>
  join(asked(), `${digestOf(session)}.${digestOf(callId)}`);
const stopFile = (session: string) => join(stopped(), digestOf(session));

/** Resolves once it is safe: a call that could not be compared does not run. */
export async function keep(session: string, callId: string, kept: Kept): Promise<void> {
  await removeOld().catch(() => undefined);
  await write(fileOf(session, callId), kept);
}

/** Only one event of a call gets it. */
export async function takeKept(session: string, callId: string): Promise<Kept | undefined> {
  const file = fileOf(session, callId);
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

async function write(file: string, value: unknown): Promise<void> {
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

async function removeOld(): Promise<void> {
  for (const name of await readdir(asked())) {
    const file = join(asked(), name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > LIFE_MS) await rm(file, { force: true });
  }
}

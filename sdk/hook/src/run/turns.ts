/**
 * Which of the calls with its id a call is, since some models give each call of a session the id `call_0`. A runtime may start the
 * hook once for each scope of its settings: these runs have the same turn, so they ask one question.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotApproved } from '../../../typescript/src/errors.ts';
import { canonical } from '../../../typescript/src/exact.ts';
import { digestOf, removeOld, write } from './kept.ts';
import { sharedFolder } from './pairs.ts';

export interface Turn {
  readonly session: string;
  readonly callId: string;
  readonly tool: string;
  /** JSON text. */
  readonly input: string;
}

/** How far apart the hooks of one call may begin with it. */
const TOGETHER_MS = 60_000;

const folderOf = (name: string) => join(sharedFolder(), name);
const fileOf = ({ session, callId, tool, input }: Turn) =>
  join(folderOf('turns'), digestOf(session, callId, tool, canonical(input)));

/** As the SDK's ordinal: the same until the call has ended. */
export async function ordinalOf(turn: Turn): Promise<number> {
  const text = await readFile(fileOf(turn), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '1';
    throw error;
  });
  return Number(text);
}

/** The next equal call with this id is a separate question. By the clock, since a counter would start again once it was removed. */
export async function endTurn(turn: Turn): Promise<void> {
  await removeOld(folderOf('turns')).catch(() => undefined);
  await write(fileOf(turn), Date.now());
}

/**
 * The key with which the service starts a request once. The hooks of one call share it, and each scope gets it once. It is random, so
 * that the service refuses the start when these files are lost.
 */
export async function startKeyOf(id: string, scope: string): Promise<string> {
  const folder = folderOf('started');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOld(folder).catch(() => undefined);
  const file = join(folder, digestOf(id));
  if (!(await isFirst(file, randomUUID())) && Date.now() - (await stat(file)).mtimeMs > TOGETHER_MS)
    throw new NotApproved('used', undefined, id);
  if (!(await isFirst(`${file}.${scope}`, ''))) throw new NotApproved('used', undefined, id);
  return await readFile(file, 'utf8');
}

/** Another process never sees half of the text. */
async function isFirst(file: string, text: string): Promise<boolean> {
  const written = `${file}.${randomUUID()}.new`;
  await writeFile(written, text, { mode: 0o600, flush: true });
  try {
    await link(written, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(written, { force: true });
  }
}

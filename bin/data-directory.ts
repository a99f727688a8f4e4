/** The folder of `start`: created when missing, and held by one process at a time. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError, type Config } from '../src/platform/config.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { tryLock, type FileLock } from '../src/local/lock-file.ts';

/** The database of `start` on its own Postgres. */
export const DATABASE = 'countersign';

/** The note of a run that is stopping. */
export const STOPPING = 'stopping';

/**
 * How long a start waits for a run that is stopping, or that may soon notice that its npm ended.
 */
const STOPPING_WITHIN_MS = 12_000;
const NOTICE_WITHIN_MS = 1_500;

export const postgresDirectory = (config: Config): string => join(config.dataDirectory, 'postgres');
export const temporalDirectory = (config: Config): string => join(config.dataDirectory, 'temporal');

/**
 * One run per data folder. Waits for a run that is stopping; undefined when this process was
 * stopped meanwhile.
 */
export async function lockDataDirectory(
  directory: string,
  signal: AbortSignal,
): Promise<FileLock | undefined> {
  makeDirectory(directory);
  const path = join(directory, 'countersign.lock');
  const began = performance.now();
  for (;;) {
    if (signal.aborted) return undefined;
    const result = tryLock(path);
    if ('release' in result) return result;
    if (
      performance.now() - began >
      (result.note === STOPPING ? STOPPING_WITHIN_MS : NOTICE_WITHIN_MS)
    ) {
      const where = result.note.startsWith('http') ? `, ${result.note}` : '';
      throw new OperatorError(
        `Countersign already runs on ${directory} (process ${result.pid}${where}). Stop that one first, or set COUNTERSIGN_DATA_DIR to another folder.`,
      );
    }
    await delay(100);
  }
}

/**
 * One folder after the other, because Node's recursive mkdir can hang on file systems that wrongly
 * report a missing parent.
 */
function makeDirectory(directory: string): void {
  const missing: string[] = [];
  for (let at = directory; !existsSync(at); at = dirname(at)) missing.unshift(at);
  try {
    for (const folder of missing) mkdirSync(folder, { mode: 0o700 });
    accessSync(directory, constants.W_OK | constants.X_OK);
    if (!statSync(directory).isDirectory()) throw new Error('it is a file');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `COUNTERSIGN_DATA_DIR must be a folder that can be made and written to: ${reason}`,
    );
  }
}

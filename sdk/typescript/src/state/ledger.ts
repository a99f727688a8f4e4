/** Where the keys of calls without an id are kept, so that a run continues its request after a crash. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Ledger {
  load(name: string): Promise<string | undefined>;
  /** Resolves once the key is safe. */
  save(name: string, key: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Lost with the process. */
export function memoryLedger(): Ledger {
  const keys = new Map<string, string>();
  return {
    load: async (name) => keys.get(name),
    save: async (name, key) => {
      keys.set(name, key);
    },
    remove: async (name) => {
      keys.delete(name);
    },
  };
}

/**
 * One file for each open call in a folder that only this user can read. Give each process that runs at the same time a
 * folder of its own: an equal call of another process looks like one that crashed.
 */
export function fileLedger(folder: string): Ledger {
  const fileOf = (name: string) => join(folder, createHash('sha256').update(name).digest('hex'));
  return {
    load: async (name) => {
      const text = await readFile(fileOf(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      return text === '' ? undefined : text;
    },
    save: async (name, key) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const written = `${fileOf(name)}.${randomUUID()}`;
      await writeFile(written, key, { mode: 0o600, flag: 'wx', flush: true });
      await rename(written, fileOf(name));
    },
    remove: async (name) => {
      await rm(fileOf(name), { force: true });
    },
  };
}

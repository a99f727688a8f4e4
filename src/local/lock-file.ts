/**
 * A lock between processes that a killed holder cannot keep. The file names its holder by pid and
 * start time.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isRunning, type ProcessIdentity } from './processes.ts';

export interface LockHolder extends ProcessIdentity {
  /** A note of the holder about itself, for example its address. */
  readonly note: string;
}

export interface FileLock {
  /** Replaces the note. */
  annotate(note: string): void;
  release(): void;
}

let attempts = 0;

/** Takes the lock and returns it, or returns its holder. */
export function tryLock(path: string, note = ''): FileLock | LockHolder {
  mkdirSync(dirname(path), { recursive: true });
  const self = identifyProcess(process.pid);
  if (!self) throw new Error('The start time of this process cannot be read.');
  const draft = `${path}.${self.pid}.${attempts++}`;
  const write = (text: string): void => {
    writeFileSync(draft, JSON.stringify({ ...self, note: text }), { mode: 0o600 });
  };
  write(note);
  try {
    for (;;) {
      // A link appears with its content and fails when the name exists, so no reader ever sees a
      // partial lock.
      if (tryLink(draft, path)) break;
      const holder = readHolder(path);
      if (holder && isRunning(holder)) return holder;
      removeStale(path, draft);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    annotate: (text) => {
      write(text);
      renameSync(draft, path);
    },
    release: () => {
      if (readHolder(path)?.pid === self.pid) rmSync(path, { force: true });
    },
  };
}

interface LockOptions {
  /** Called once with the holder, if there is one. */
  readonly onWait?: (holder: LockHolder) => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** Waits for the lock. */
export async function lock(path: string, { onWait, signal }: LockOptions = {}): Promise<FileLock> {
  let reported = false;
  for (;;) {
    signal?.throwIfAborted();
    const result = tryLock(path);
    if ('release' in result) return result;
    if (!reported) onWait?.(result);
    reported = true;
    await delay(250, undefined, { signal });
  }
}

/** The holder of the lock; undefined when it is free or the file is unreadable. */
export function readHolder(path: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startedAt, note } = value as Partial<Record<keyof LockHolder, unknown>>;
  return typeof pid === 'number' && typeof startedAt === 'string' && typeof note === 'string';
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Moves a dead holder's file away. Two processes may do so at once: one that moved a living
 * holder's file puts it back.
 */
function removeStale(path: string, draft: string): void {
  const aside = `${draft}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = readHolder(aside);
  if (moved && isRunning(moved)) tryLink(aside, path);
  rmSync(aside, { force: true });
}

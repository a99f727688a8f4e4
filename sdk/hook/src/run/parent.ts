/** Whether the program that asked is still there. A shell around the hook may outlive it, so that is looked through. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const EVERY_MS = 500;
/** Without /proc, each look starts a program. */
const EVERY_SLOW_MS = 3_000;
const DEEPEST = 4;

interface Seen {
  readonly parent: number;
  readonly command: string;
}

/** Calls `gone` once. It never keeps the process alive. */
export function watchParent(gone: () => void): void {
  const file = process.argv[1] ?? '';
  const shells: (readonly [pid: number, parent: number])[] = [];
  const parent = process.ppid;
  for (let pid = parent; shells.length < DEEPEST;) {
    const seen = see(pid);
    if (!seen?.command.includes(file) || file === '') break;
    shells.push([pid, seen.parent]);
    pid = seen.parent;
  }
  const timer = setInterval(
    () => {
      if (
        process.ppid === parent &&
        shells.every(([pid, expected]) => see(pid)?.parent === expected)
      )
        return;
      clearInterval(timer);
      gone();
    },
    process.platform === 'linux' ? EVERY_MS : EVERY_SLOW_MS,
  );
  timer.unref();
}

function see(pid: number): Seen | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
      // The name before it is in brackets, and may have some of its own.
      const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return {
        parent: Number(parent),
        command: readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8'),
      };
    }
    const args = ['-o', 'ppid=,command=', '-p', String(pid)];
    const text = execFileSync('/bin/ps', args, { encoding: 'utf8' }).trim();
    return { parent: Number.parseInt(text, 10), command: text };
  } catch {
    return undefined;
  }
}

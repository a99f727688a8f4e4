/** Processes of the operating system: their identity, free ports, and ending them for good. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A pid can be reused; together with its start time it identifies one process. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** The process that has this pid now. Undefined when there is none; a zombie counts as none. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? linuxStart(pid) : portableStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether this very process still runs, and not a later one with its pid. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** The command line of a process, words separated by spaces, or undefined when it cannot be read. */
export function commandLine(pid: number): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function linuxStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in parentheses and may itself hold spaces and parentheses: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    // Field 22, in clock ticks since boot: only the boot id makes it unique over a restart of the machine.
    return `${fields[19]}@${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    return undefined;
  }
}

function portableStart(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ')).trim();
  } catch {
    return undefined;
  }
}

/** Polls until the condition is true. Returns false when that takes longer than `timeoutMs`. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await delay(25);
  }
}

export interface EndOptions {
  /** Sent in this order, each with its time before the next. SIGKILL follows. */
  readonly signals: readonly NodeJS.Signals[];
  readonly graceMs: number;
}

/**
 * Ends one process and resolves when it is gone. A process that is gone already, or that we may not
 * signal, is not an error.
 */
export async function endProcess(identity: ProcessIdentity, options: EndOptions): Promise<void> {
  const gone = (): boolean => !isRunning(identity);
  for (const signal of [...options.signals, 'SIGKILL'] as const) {
    if (gone()) return;
    try {
      process.kill(identity.pid, signal);
    } catch {
      return;
    }
    if (await eventually(gone, options.graceMs)) return;
  }
}

/**
 * Systems give higher ports to outgoing connections. One of those could take the port of a server while it restarts.
 */
const PORTS = { from: 10_000, to: 32_000 };

/** A free port on 127.0.0.1: the preferred one if possible. */
export async function freePort(preferred = randomInt(PORTS.from, PORTS.to)): Promise<number> {
  return (await tryPort(preferred)) ?? (await freePort());
}

/** This many different free ports of 127.0.0.1. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** Whether this process could listen there now. */
export async function canListen(host: string, port: number): Promise<boolean> {
  return (await tryPort(port, host)) !== undefined;
}

function tryPort(port: number, host = '127.0.0.1'): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : undefined);
      });
    });
  });
}

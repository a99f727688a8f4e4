/** Processor time of processes, which is steady where latencies of a shared machine are not. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type pg from 'pg';

const CLOCK_TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of processor time so far; 0 when the process has ended. */
export function cpuSeconds(pid: number): number {
  return ticks(statOf(pid).slice(11, 13)) / CLOCK_TICKS;
}

/** Of the processes of the server that live now: one for each connection, and those they started. */
export async function postgresSeconds(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ pid: number }>('select pid from pg_stat_activity');
  return rows.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
}

/** Of a process and of those it has started, whether they live or have ended. */
export function familySeconds(pid: number): number {
  const children = readProcess(`${pid}/task/${pid}/children`).split(' ').map(Number);
  const own = ticks(statOf(pid).slice(11, 15)) / CLOCK_TICKS;
  return children.reduce((sum, child) => sum + cpuSeconds(child), own);
}

/** The fields after the name: the 12th is time as a user, then time in the kernel, then both of ended children. */
function statOf(pid: number): string[] {
  return readProcess(`${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
}

/** A file below /proc; empty when the process has ended, and on systems without. */
function readProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

function ticks(fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + Number(field), 0);
}

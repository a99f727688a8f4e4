/** The state of the service line by line: a word first, then what to do about it. Pure. */
import { checkProblem, type CheckName } from './check-text.ts';
import type { System } from './system-data.ts';
import { checks as problems, system as text, type LineName } from './text.ts';

/** `watch`: it may pass by itself. */
export type LineState = 'well' | 'watch' | 'wrong';

export interface Line {
  readonly name: LineName;
  readonly state: LineState;
  /** What is known, in a few words. */
  readonly fact: string;
  /** Only where something is not well. */
  readonly advice?: string;
  /** What a part of the service said itself, for those who search for it. */
  readonly said?: string;
}

/** A worker asks Temporal for work at least once a minute. */
const WORKER_SECONDS = 180;
/** Readiness fails beyond this. */
const CLOCK_MS = 1_000;
const SEAL_SECONDS = 60;
const LATE_SECONDS = 30;
const MESSAGE_SECONDS = 120;
const CALL_SECONDS = 10;

const secondsSince = (system: System, since: string | undefined): number =>
  since === undefined ? 0 : Math.max(0, (Date.parse(system.at) - Date.parse(since)) / 1_000);

/** A short wait is usual, and a long one is wrong. */
const byAge = (seconds: number, most: number): LineState =>
  seconds > most ? 'wrong' : seconds > most / 2 ? 'watch' : 'well';

export function linesOf(system: System): readonly Line[] {
  return [
    checkLine(system, 'database'),
    checkLine(system, 'migrations'),
    checkLine(system, 'temporal'),
    auditLine(system),
    workerLine(system),
    levelsLine(system),
    workflowsLine(system),
    messagesLine(system),
    channelsLine(system),
    deadLine(system),
    callsLine(system),
    receiversLine(system),
    sealLine(system),
    clockLine(system),
  ];
}

const line = (name: Exclude<LineName, CheckName>, state: LineState, fact: string): Line => ({
  ...{ name, state, fact },
  ...(state !== 'well' && { advice: text.advice[name] }),
});

function checkLine({ checks }: System, name: CheckName): Line {
  const found = checks.find((check) => check.name === name);
  if (!found || (found.is_ok && found.problem === undefined))
    return { name, state: 'well', fact: text.responds[name] };
  const { problem: said = '' } = found;
  const state = found.is_ok ? 'watch' : 'wrong';
  return { name, state, ...checkProblem(name, said), ...(said !== '' && { said }) };
}

/** Of this organization it also says why. */
function auditLine(system: System): Line {
  const line = checkLine(system, 'audit');
  const { refused } = system.audit;
  if (!refused) return line;
  const { cause, reason } = refused;
  if (cause === 'log_changed')
    return { ...line, state: 'wrong', ...problems.notSigned, said: reason };
  // The check of this process names the file.
  return { ...line, state: 'wrong', ...problems.notKept, said: line.said ?? reason };
}

function workerLine(system: System): Line {
  const { worker_seen_at: seen, checks } = system;
  const isTemporalWell = checks.some(({ name, is_ok: isOk }) => name === 'temporal' && isOk);
  if (seen === undefined)
    return line('worker', isTemporalWell ? 'wrong' : 'watch', text.workerUnknown(isTemporalWell));
  const age = secondsSince(system, seen);
  return line('worker', byAge(age, WORKER_SECONDS), text.workerSeen(age));
}

function levelsLine(system: System): Line {
  const { late_count: count, late_since: since } = system.levels;
  const age = secondsSince(system, since);
  return line('levels', byAge(age, LATE_SECONDS), text.waiting(count, 'level', age));
}

function workflowsLine(system: System): Line {
  const { silent_count: count, silent_since: since } = system.workflows;
  const age = secondsSince(system, since);
  return line('workflows', count > 0 ? 'watch' : 'well', text.waiting(count, 'request', age));
}

function messagesLine(system: System): Line {
  const { due_count: count, due_since: since } = system.messages;
  const age = secondsSince(system, since);
  return line('messages', byAge(age, MESSAGE_SECONDS), text.waiting(count, 'message', age));
}

function channelsLine({ troubled_channels: channels }: System): Line {
  const isBroken = channels.some(({ state }) => state === 'broken');
  const state = isBroken ? 'wrong' : channels.length > 0 ? 'watch' : 'well';
  return line('channels', state, text.channels(channels.length));
}

function deadLine({ messages: { dead_count: count } }: System): Line {
  return line('dead', count > 0 ? 'watch' : 'well', text.dead(count));
}

function callsLine({ temporal_calls: { waiting, oldest_seconds: age } }: System): Line {
  return line('calls', byAge(age, CALL_SECONDS), text.waiting(waiting, 'call', age));
}

function receiversLine({ receivers: { waiting, oldest_seconds: age } }: System): Line {
  return line('receivers', byAge(age, MESSAGE_SECONDS), text.waiting(waiting, 'decision', age));
}

function sealLine(system: System): Line {
  const { unsealed_count: count, unsealed_since: since } = system.audit;
  const age = secondsSince(system, since);
  return line('seal', byAge(age, SEAL_SECONDS), text.waiting(count, 'event', age));
}

function clockLine({ clock_ahead_ms: ahead }: System): Line {
  const state = Math.abs(ahead) > CLOCK_MS ? 'wrong' : 'well';
  return line('clock', state, text.clock(ahead));
}

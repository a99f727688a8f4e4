/** A call that is about to be asked: what is sent, with which key and token. */
import { randomUUID } from 'node:crypto';
import { textOf } from './arguments.ts';
import type { AskOptions, Options, ToolCall } from './calls.ts';
import { msOf } from './durations.ts';
import { NotApproved } from './errors.ts';
import { canonical } from './exact.ts';
import { digestOf, sha256 } from './digests.ts';
import type { Limits } from './http.ts';
import type { Keys } from './state/keys.ts';
import {
  limitsOf,
  MARGIN_MS,
  parkOf,
  timeoutOf,
  withdrawLimits,
  type AskLimits,
} from './limits.ts';
import type { SentCall } from './request.ts';

export interface Asking {
  readonly sent: SentCall;
  readonly key: string;
  /** Of the key in the ledger. */
  readonly entry?: string;
  readonly token: string;
  readonly limits: AskLimits;
  /** Where the request is kept when the call parks: its name in the ledger. */
  readonly parking?: string;
  /** Throws `NotApproved` if the caller's arguments are other ones by now. */
  readonly requireSame: () => void;
  /** The outcome is final, so the key is not needed any more. */
  readonly forget: () => Promise<void>;
}

export interface Asker {
  readonly options: Options;
  readonly keys: Keys;
  /** A token that works at least `ms` longer. */
  readonly token: (ms: number, limits: Limits) => Promise<string>;
}

export async function prepare(
  call: ToolCall,
  { signal, park }: AskOptions,
  { options, keys, token: tokenFor }: Asker,
): Promise<Asking> {
  signal?.throwIfAborted();
  const { tool, server, session, callId, reasoning } = namesOf(call);
  const ordinal = ordinalOf(call);
  const text = textOf(call.arguments);
  const id = callId !== undefined && { call_id: callId };
  const context = textOf({ ...options.context, ...call.context, session, ...id }, 'context');
  const parked = parkOf(park);
  const timeout = parked
    ? (call.timeout ?? options.timeout ?? '15m')
    : timeoutOf(options, call.timeout);
  const resumes = parked !== undefined;
  const sent = { tool, server, arguments: text, reasoning, context, timeout, resumes };
  const limits = limitsOf(parked ? { limit: parked } : options, call.timeout, signal);
  const token = await tokenFor(msOf(timeout, 'timeout') + MARGIN_MS, limits);
  const requireSame = () => {
    if (textOf(call.arguments) !== text) throw new NotApproved('changed');
  };
  const forgetting = (entry: string) => async () => {
    await keys.forget(entry, withdrawLimits(limits));
  };
  if (resumes) {
    const parking = hash('parked', session, tool, server ?? '', canonical(text));
    const key = randomUUID();
    return { sent, key, token, limits, parking, requireSame, forget: forgetting(parking) };
  }
  if (callId !== undefined) {
    // Some runtimes repeat their ids. Other arguments are another call.
    const key = hash(session, callId, tool, server ?? '', digestOf(text), String(ordinal));
    return { sent, key, token, limits, requireSame, forget: async () => undefined };
  }
  const name = hash(session, tool, server ?? '', canonical(text));
  const { key, entry } = await keys.take(name, limits);
  return { sent, key, entry, token, limits, requireSame, forget: forgetting(entry) };
}

/** Throws a TypeError for what TypeScript refuses, too: an empty id would be the same for every call. */
function namesOf({ tool, server, session, callId, reasoning }: ToolCall) {
  for (const [name, value] of Object.entries({ tool, session, callId, server, reasoning })) {
    const isOptional = !['tool', 'session'].includes(name);
    if (isOptional && value === undefined) continue;
    if (typeof value !== 'string' || (value === '' && name !== 'reasoning'))
      throw new TypeError(`A call needs a ${name} that is a text and not empty.`);
  }
  return { tool, server, session, callId, reasoning };
}

function ordinalOf({ ordinal = 1 }: ToolCall): number {
  if (Number.isSafeInteger(ordinal) && ordinal >= 1) return ordinal;
  throw new TypeError('The ordinal of a call must be a whole number from 1.');
}

const hash = (...parts: readonly string[]): string => sha256(JSON.stringify(parts));

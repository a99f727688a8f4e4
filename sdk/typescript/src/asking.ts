/** A call that is about to be asked: what is sent, with which key and token. */
import { createHash } from 'node:crypto';
import { textOf } from './arguments.ts';
import type { AskOptions, Options, ToolCall } from './calls.ts';
import { msOf } from './durations.ts';
import { NotApproved } from './errors.ts';
import { canonical } from './exact.ts';
import type { Limits } from './http.ts';
import type { Keys } from './keys.ts';
import { limitsOf, MARGIN_MS, timeoutOf, type AskLimits } from './limits.ts';
import type { SentCall } from './request.ts';

export interface Asking {
  readonly sent: SentCall;
  readonly key: string;
  /** Of the key in the ledger. */
  readonly entry?: string;
  readonly token: string;
  readonly limits: AskLimits;
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
  { signal }: AskOptions,
  { options, keys, token: tokenFor }: Asker,
): Promise<Asking> {
  signal?.throwIfAborted();
  const { tool, server, session, callId, reasoning } = namesOf(call);
  const text = textOf(call.arguments);
  const id = callId !== undefined && { call_id: callId };
  const context = textOf({ ...options.context, ...call.context, session, ...id }, 'context');
  const timeout = timeoutOf(options, call.timeout);
  const sent = { tool, server, arguments: text, reasoning, context, timeout };
  const limits = limitsOf(options, call.timeout, signal);
  const token = await tokenFor(msOf(timeout, 'timeout') + MARGIN_MS, limits);
  const requireSame = () => {
    if (textOf(call.arguments) !== text) throw new NotApproved('changed');
  };
  if (callId !== undefined) {
    const key = hash(session, callId, tool);
    return { sent, key, token, limits, requireSame, forget: async () => undefined };
  }
  const { key, entry } = await keys.take(hash(session, tool, server ?? '', canonical(text)));
  const forget = async () => {
    await keys.forget(entry);
  };
  return { sent, key, entry, token, limits, requireSame, forget };
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

const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

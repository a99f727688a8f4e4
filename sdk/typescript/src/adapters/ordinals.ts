/**
 * Tells calls with one id apart in a run of the AI SDK. Messages that are left out of a later step would be missing in a count, so
 * a run is known by the messages that its steps share.
 */

interface Call {
  readonly name: string;
  readonly messages: readonly unknown[];
  readonly ordinal: number;
}

/** Of each run, by its messages: its calls, in their order. */
const runs = new WeakMap<object, Call[]>();

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

interface Place {
  readonly session: string;
  readonly tool: string;
  readonly callId: string;
  /** What came before the call. */
  readonly messages: readonly unknown[];
}

/** `next` gives the ordinal of a call that is not known, from that of the last one before it. */
export function ordinalOf(
  { session, tool, callId, messages }: Place,
  next: (before: number) => number,
): number {
  const objects = messages.filter(isObject);
  const name = JSON.stringify([session, tool, callId]);
  const known = objects.map((message) => runs.get(message));
  const run = known.findLast((each) => each !== undefined) ?? [];
  const at = run.findIndex((call) => call.name === name && isSame(call.messages, messages));
  const before = run.findLast((call) => call.name === name);
  const call = run[at] ?? {
    ...{ name, messages: [...messages] },
    ordinal: next(Math.max(resultsOf(callId, objects), before?.ordinal ?? 0)),
  };
  // The same messages mean that a run is made again from here.
  const calls = at < 0 ? [...run, call] : run.slice(0, at + 1);
  for (const message of objects) runs.set(message, calls);
  return call.ordinal;
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((message, index) => message === other[index]);

/** A call that waits for its own approval may be among the messages, but has no result. */
function resultsOf(callId: string, messages: readonly object[]): number {
  const parts = messages.flatMap((message) => {
    const { role, content } = message as Readonly<Record<string, unknown>>;
    return role === 'tool' && Array.isArray(content) ? (content as unknown[]) : [];
  });
  return parts.filter((part) => {
    const { type, toolCallId } = (part ?? {}) as Readonly<Record<string, unknown>>;
    return type === 'tool-result' && toolCallId === callId;
  }).length;
}

/** What came of the calls of an agent of the Claude Agent SDK, compared with what was approved. */
import { textOf } from '../arguments.ts';
import type { Approved, ToolCall } from '../calls.ts';
import type { Countersign } from '../countersign.ts';
import { digestOf } from '../digests.ts';
import type { Turn } from './turns.ts';

export interface ClaudeResults {
  readonly countersign: Countersign;
  /**
   * Another call ran than the approved one, or one that the hooks were never asked about. Default: a warning of the process. What
   * it throws is ignored.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** An entry of `hooks` that hears what came of a call. */
export interface ClaudeListener {
  hooks: ((input: unknown) => Promise<Record<string, never>>)[];
  timeout: number;
}

const REFUSED_EVENTS = ['PostToolBatch', 'PermissionDenied'] as const;
export const RESULT_EVENTS = [
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionDenied',
] as const;
export type ResultEvent = (typeof RESULT_EVENTS)[number];

interface Call {
  readonly session_id: string;
  readonly tool_use_id: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
}

interface ResultInput extends Call {
  readonly hook_event_name: ResultEvent;
  /** Of a batch. */
  readonly tool_calls?: readonly Omit<Call, 'session_id'>[];
}

interface Started {
  /** Its full name. */
  readonly tool: string;
  /** Undefined for a call that needs no approval. */
  readonly approved?: Approved;
  readonly turn?: Turn;
}

interface Seen {
  /** Calls that may run and have no result yet, by `keyOf`. */
  readonly started: Map<string, Started>;
  /** Why, by the session. */
  readonly stopped: Map<string, string>;
}

/** Into the input of these, Claude Code itself puts what a person answered. */
const FILLED_IN = ['AskUserQuestion', 'ExitPlanMode'];
const RESULT_SECONDS = 10;
/** Characters of a call. */
const SHOWN = 800;

const seen = new WeakMap<Countersign, Seen>();

export function seenBy(countersign: Countersign): Seen {
  const known = seen.get(countersign) ?? {
    started: new Map<string, Started>(),
    stopped: new Map<string, string>(),
  };
  seen.set(countersign, known);
  return known;
}

/** Some models repeat the ids of calls. */
export const keyOf = (call: Call): string =>
  keyIn(call, call.tool_name, digestIfAny(call.tool_input));

const keyIn = (call: Call, ...more: unknown[]): string =>
  [call.session_id, call.tool_use_id, ...more].map((part) => `${JSON.stringify(part)},`).join('');

/** This call, or else what it was before it changed: one with its session and id, at first one with an approval. */
function take({ started }: Seen, call: Call): Started | undefined {
  const alike = [...started.keys()].filter((key) => key.startsWith(keyIn(call)));
  const exact = alike.find((key) => key === keyOf(call));
  const key = exact ?? alike.find((each) => started.get(each)?.approved) ?? alike[0] ?? '';
  const found = started.get(key);
  started.delete(key);
  found?.turn?.end();
  return found;
}

/** The sessions in which another call ran than the one that was approved, each with both. */
export function stopped(countersign: Countersign): ReadonlyMap<string, string> {
  return new Map(seenBy(countersign).stopped);
}

/** Lets a session continue that was stopped. Call it once a person has looked at what ran. */
export function resume(countersign: Countersign, session: string): void {
  seenBy(countersign).stopped.delete(session);
}

/**
 * One entry, for `PostToolUse`, `PostToolUseFailure`, `PostToolBatch` and `PermissionDenied`, in addition to your own hooks. It reports
 * what came of a call. A later hook and `canUseTool` can change a call: another one than the approved one stops the session, see
 * `resume`.
 */
export function postToolUse(results: ClaudeResults): ClaudeListener {
  return {
    timeout: RESULT_SECONDS,
    hooks: [
      async (input) => {
        const given = (input ?? {}) as ResultInput;
        const isRefused = REFUSED_EVENTS.some((event) => event === given.hook_event_name);
        await (isRefused ? reportRefused(given, results) : compare(given, results));
        return {};
      },
    ],
  };
}

/** What is still there when all calls of a message have ended did not run. */
async function reportRefused(given: ResultInput, { countersign }: ClaudeResults): Promise<void> {
  const known = seenBy(countersign);
  for (const each of given.tool_calls ?? [given]) {
    const call = take(known, { ...each, session_id: given.session_id });
    if (call?.approved) await countersign.report(call.approved, { outcome: 'refused_by_runtime' });
  }
}

async function compare(given: ResultInput, { countersign, onError }: ClaudeResults) {
  const known = seenBy(countersign);
  const call = take(known, given);
  if (!call) tell(`No approval of this call is known. ${ranOf(given)}`, onError);
  if (!call?.approved) return;
  const { tool, approved } = call;
  if (isSame(given, tool, approved)) {
    const isSuccess = given.hook_event_name === 'PostToolUse';
    await countersign.report(approved, { outcome: isSuccess ? 'succeeded' : 'failed' });
    return;
  }
  const stop = stopOf(given, tool, approved);
  // Before the report, which may take a while.
  known.stopped.set(given.session_id, stop);
  tell(stop, onError);
  const argumentsDigest = digestIfAny(given.tool_input);
  await countersign.report(approved, { outcome: 'ran_differently', argumentsDigest });
}

function tell(message: string, onError: ClaudeResults['onError']): void {
  try {
    if (onError) onError(new Error(message));
    else process.emitWarning(message, 'CountersignWarning');
  } catch {
    // The call ended, and its result is to be reported.
  }
}

const stopOf = (given: ResultInput, tool: string, approved: Approved): string =>
  `Another call ran than the one that was approved, so Countersign stopped this session. Approved: ${tool} ${approved.argumentsText.slice(0, SHOWN)}. ${ranOf(given)} A person looks at it, and lets the session go on with resume.`;

const ranOf = ({ tool_name: tool = '', tool_input: input }: ResultInput): string =>
  `Ran: ${`${tool} ${String(JSON.stringify(input))}`.slice(0, SHOWN)}.`;

function isSame(given: ResultInput, tool: string, approved: Approved): boolean {
  const ran = given.tool_input;
  if (given.tool_name !== tool) return false;
  if (digestIfAny(ran) === digestOf(approved.argumentsText)) return true;
  if (!FILLED_IN.includes(tool) || typeof ran !== 'object' || ran === null) return false;
  const filled = ran as Readonly<Record<string, unknown>>;
  return Object.entries(approved.arguments).every(
    ([name, value]) => digestIfAny({ value: filled[name] }) === digestIfAny({ value }),
  );
}

function digestIfAny(input: unknown): string | undefined {
  try {
    return digestOf(textOf(input as ToolCall['arguments']));
  } catch {
    return undefined;
  }
}

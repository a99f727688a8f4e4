/** What came of the calls of an agent of the Claude Agent SDK, compared with what was approved. */
import { textOf } from '../arguments.ts';
import type { Approved, ToolCall } from '../calls.ts';
import type { Countersign } from '../countersign.ts';
import { digestOf } from '../digests.ts';

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

interface ResultInput {
  readonly hook_event_name: ResultEvent;
  readonly session_id: string;
  readonly tool_use_id: string;
  readonly tool_name?: string;
  readonly tool_input: unknown;
  /** Of a batch. */
  readonly tool_calls?: readonly { readonly tool_use_id: string }[];
}

interface Started {
  /** Its full name. */
  readonly tool: string;
  readonly approved: Approved;
}

interface Seen {
  /** Calls that were approved and have no result yet, by their ids. */
  readonly started: Map<string, Started>;
  /** Ids of calls that need no approval and have not ended yet. */
  readonly exempt: Set<string>;
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
    exempt: new Set<string>(),
    stopped: new Map<string, string>(),
  };
  seen.set(countersign, known);
  return known;
}

/** The sessions in which another call ran than the one that was approved, each with both. */
export function stopped(countersign: Countersign): ReadonlyMap<string, string> {
  return new Map(seenBy(countersign).stopped);
}

/** Lets a session go on that was stopped. Call it once a person has looked at what ran. */
export function resume(countersign: Countersign, session: string): void {
  seenBy(countersign).stopped.delete(session);
}

/**
 * One entry, for `PostToolUse`, `PostToolUseFailure`, `PostToolBatch` and `PermissionDenied`, beside hooks of your own. It reports
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
  const { started } = seenBy(countersign);
  for (const { tool_use_id: id } of given.tool_calls ?? [given]) {
    const call = started.get(id);
    started.delete(id);
    if (call) await countersign.report(call.approved, { outcome: 'refused_by_runtime' });
  }
}

async function compare(given: ResultInput, { countersign, onError }: ClaudeResults) {
  const known = seenBy(countersign);
  const call = known.started.get(given.tool_use_id);
  known.started.delete(given.tool_use_id);
  const isExempt = known.exempt.delete(given.tool_use_id);
  if (!call) {
    if (!isExempt) tell(`No approval of this call is known. ${ranOf(given)}`, onError);
    return;
  }
  if (isSame(given, call)) {
    const isSuccess = given.hook_event_name === 'PostToolUse';
    await countersign.report(call.approved, { outcome: isSuccess ? 'succeeded' : 'failed' });
    return;
  }
  const stop = stopOf(given, call);
  // Before the report, which may take a while.
  known.stopped.set(given.session_id, stop);
  tell(stop, onError);
  const argumentsDigest = digestIfAny(given.tool_input);
  await countersign.report(call.approved, { outcome: 'ran_differently', argumentsDigest });
}

function tell(message: string, onError: ClaudeResults['onError']): void {
  try {
    if (onError) onError(new Error(message));
    else process.emitWarning(message, 'CountersignWarning');
  } catch {
    // The call ended, and its result is to be reported.
  }
}

const stopOf = (given: ResultInput, { tool, approved }: Started): string =>
  `Another call ran than the one that was approved, so Countersign stopped this session. Approved: ${tool} ${approved.argumentsText.slice(0, SHOWN)}. ${ranOf(given)} A person looks at it, and lets the session go on with resume.`;

const ranOf = ({ tool_name: tool = '', tool_input: input }: ResultInput): string =>
  `Ran: ${`${tool} ${String(JSON.stringify(input))}`.slice(0, SHOWN)}.`;

function isSame({ tool_name: tool, tool_input: ran }: ResultInput, call: Started): boolean {
  const { argumentsText, arguments: approved } = call.approved;
  if (tool !== call.tool) return false;
  if (digestIfAny(ran) === digestOf(argumentsText)) return true;
  if (!FILLED_IN.includes(tool) || typeof ran !== 'object' || ran === null) return false;
  const given = ran as Readonly<Record<string, unknown>>;
  return Object.entries(approved).every(
    ([name, value]) => digestIfAny({ value: given[name] }) === digestIfAny({ value }),
  );
}

function digestIfAny(input: unknown): string | undefined {
  try {
    return digestOf(textOf(input as ToolCall['arguments']));
  } catch {
    return undefined;
  }
}

/** For the Claude Agent SDK: every tool of an agent is asked for first, by its hooks. */
import type { ToolCall } from '../calls.ts';
import { msOf } from '../durations.ts';
import { NotApproved } from '../errors.ts';
import {
  keyOf,
  postToolUse,
  RESULT_EVENTS,
  seenBy,
  type ClaudeListener,
  type ClaudeResults,
  type ResultEvent,
} from './claude-results.ts';
import { namesIn } from './exempt.ts';
import { toModel } from './refused.ts';
import { turnsOf, type Turn } from './turns.ts';

export {
  postToolUse,
  resume,
  stopped,
  type ClaudeListener,
  type ClaudeResults,
} from './claude-results.ts';

export interface ClaudeGate extends ClaudeResults {
  /** Tools that run without being asked for, by their full names, such as `Read`. Default: none. */
  readonly exempt?: readonly string[];
  /** The most time that the hook may take. Default: `16m`, more than reviewers have by default. */
  readonly limit?: string;
}

/** An entry of `hooks`. It has no `matcher`, so it is called for every tool. */
export interface ClaudeMatcher {
  hooks: ((
    input: unknown,
    toolUseId: string | undefined,
    options: { signal: AbortSignal },
  ) => Promise<Decision>)[];
  timeout: number;
  onFailure: 'block';
}

const EVENTS = ['PreToolUse', 'PreSkillShellCommand'] as const;
type Event = (typeof EVENTS)[number];

interface HookInput {
  readonly hook_event_name: Event;
  readonly session_id: string;
  readonly tool_use_id: string;
  readonly tool_name: string;
  /** Parsed, so numbers that JavaScript rounds are rounded by now, here and for the tool. */
  readonly tool_input: Record<string, unknown>;
  readonly mcp_server?: { readonly name: string };
  readonly cwd?: string;
  /** In a subagent. */
  readonly agent_type?: string;
}

interface Decision {
  hookSpecificOutput: {
    hookEventName: Event;
    permissionDecision?: 'deny';
    permissionDecisionReason?: string;
    updatedInput?: Record<string, unknown>;
  };
}

/** Of the limit, the time to withdraw and to say so. */
const RESERVE_MS = 10_000;

/**
 * `hooks: gateHooks({ countersign })`. Commands in the text of a skill are no calls of a tool, so they have an entry of their
 * own. Throws `Unavailable` for a limit that is no duration.
 */
export function gateHooks(
  gate: ClaudeGate,
): Record<Event, ClaudeMatcher[]> & Record<ResultEvent, ClaudeListener[]> {
  const [asking, listening] = [preToolUse(gate), postToolUse(gate)];
  const results = RESULT_EVENTS.map((event) => [event, [listening]]);
  return {
    ...{ PreToolUse: [asking], PreSkillShellCommand: [asking] },
    ...(Object.fromEntries(results) as Record<ResultEvent, ClaudeListener[]>),
  };
}

/** One entry, for both events, in addition to your own hooks. */
export function preToolUse({ countersign, exempt, limit = '16m' }: ClaudeGate): ClaudeMatcher {
  const free = namesIn(exempt);
  const ms = msOf(limit, 'limit');
  const reserve = Math.min(RESERVE_MS, ms / 2);
  const seen = seenBy(countersign);
  return {
    // An older Claude Code that runs tools after a failed hook refuses to start with it.
    onFailure: 'block',
    timeout: Math.ceil(ms / 1_000),
    hooks: [
      async (input, _id, { signal }) => {
        const event = eventOf(input);
        let turn: Turn | undefined;
        try {
          const given = input as HookInput;
          const stop = seen.stopped.get(given.session_id);
          if (stop !== undefined)
            return decision(event, { permissionDecision: 'deny', permissionDecisionReason: stop });
          if (free.has(given.tool_name)) {
            if (event === 'PreToolUse') seen.started.set(keyOf(given), { tool: given.tool_name });
            return decision(event, {});
          }
          turn = turnsOf(countersign).next(callOf(given));
          const { call, end } = turn;
          const approved = await within({ ms, reserve, signal }, (limited) =>
            countersign.ask(call, { signal: limited }),
          );
          // Another hook may have changed the arguments since. The last one to end has the last word.
          const updatedInput = structuredClone(approved.arguments);
          if (event === 'PreToolUse')
            seen.started.set(keyOf(given), { tool: given.tool_name, approved, turn });
          // No event says that a command of a skill has ended.
          else end();
          return decision(event, event === 'PreToolUse' ? { updatedInput } : {});
        } catch (error) {
          turn?.end(error);
          return decision(event, {
            permissionDecision: 'deny',
            permissionDecisionReason: toModel(error),
          });
        }
      },
    ],
  };
}

function eventOf(input: unknown): Event {
  const { hook_event_name: name } = (input ?? {}) as Partial<HookInput>;
  return EVENTS.find((event) => event === name) ?? 'PreToolUse';
}

function decision(
  hookEventName: Event,
  given: Omit<Decision['hookSpecificOutput'], 'hookEventName'>,
): Decision {
  return { hookSpecificOutput: { hookEventName, ...given } };
}

function callOf(input: HookInput): ToolCall {
  const { session_id: session, tool_use_id: callId, cwd, agent_type: agent } = input;
  return {
    ...namesOf(input),
    ...{ session, callId, arguments: input.tool_input },
    context: { cwd, agent_type: agent },
  };
}

/** `mcp__server__tool`. A server whose name has two underscores is split where its name ends. */
function namesOf({ tool_name: name, mcp_server: server }: HookInput) {
  const known = server && `mcp__${server.name.replace(/[^\w-]/g, '_')}__`;
  const start = known && name.startsWith(known) ? known : /^mcp__.+?__(?=.)/.exec(name)?.[0];
  return start === undefined
    ? { tool: name }
    : { server: start.slice('mcp__'.length, -'__'.length), tool: name.slice(start.length) };
}

interface Time {
  readonly ms: number;
  readonly reserve: number;
  /** Of the hook: the agent stopped, or no longer waits for it. */
  readonly signal: AbortSignal;
}

/** Withdraws before the limit, and denies before it even if withdrawing hangs. */
async function within<T>(
  { ms, reserve, signal }: Time,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const tooLate = new NotApproved('expired');
  const end = () => {
    stop.abort(signal.reason);
  };
  const timers: NodeJS.Timeout[] = [];
  const late = new Promise<never>((_, reject) => {
    timers.push(
      setTimeout(() => stop.abort(tooLate), ms - reserve),
      setTimeout(reject, ms - reserve / 2, tooLate),
    );
  });
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await Promise.race([ask(stop.signal), late]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** Gates the tool calls of an agent of LangChain: a middleware that asks before each. */
import { createMiddleware, ToolMessage, type AgentMiddleware, type Runtime } from 'langchain';
import { z } from 'zod';
import type { ToolCall } from '../calls.ts';
import type { Countersign } from '../countersign.ts';
import { NotApproved, Unavailable } from '../errors.ts';
import { namesIn } from './exempt.ts';

/** What LangChain gives a middleware, as far as sessions come from it. */
export type GateRuntime = Pick<Runtime, 'context' | 'configurable'>;

export interface GateOptions extends Pick<ToolCall, 'context' | 'timeout'> {
  readonly countersign: Countersign;
  /** The conversation. An agent that serves several takes it from the runtime, such as from `configurable.thread_id`. */
  readonly session: string | ((runtime: GateRuntime) => string);
  /** Names of tools that run without asking, such as those that only read. Default: none. */
  readonly exempt?: readonly string[];
  /** Aliases of the MCP servers that define tools, by the names of the tools. */
  readonly servers?: Readonly<Record<string, string>>;
}

/** Put it last, so that no other middleware changes a call after it was approved. */
export function countersignMiddleware(options: GateOptions): AgentMiddleware {
  const { countersign, session, context, timeout, servers = {} } = options;
  if (typeof session !== 'function' && !session)
    throw new TypeError('countersignMiddleware needs the session of the calls.');
  const free = namesIn(options.exempt);
  const serverOf = new Map(Object.entries(servers));
  return createMiddleware({
    name: 'countersign',
    stateSchema,
    afterModel: (state) => nextTurn(state as State),
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime } = request;
      const { name, id, args } = toolCall;
      if (free.has(name)) return await handler(request);
      let isRunning = false;
      try {
        return await countersign.run(
          {
            ...{ tool: name, server: serverOf.get(name), context, timeout },
            callId: id,
            ordinal: turnOf(request.state as State),
            arguments: args as ToolCall['arguments'],
            session: typeof session === 'function' ? session(runtime) : session,
          },
          async (approved) => {
            isRunning = true;
            const asked = { ...request, toolCall: { ...toolCall, args: approved } };
            return await Promise.resolve(handler(asked)).catch((error: unknown) => {
              throw notInterrupted(error);
            });
          },
          { signal: runtime.signal, isFailure },
        );
      } catch (error) {
        const content = isRunning ? undefined : toModelOf(error);
        if (content === undefined) throw error;
        return new ToolMessage({ content, name, tool_call_id: id ?? '', status: 'error' });
      }
    },
  });
}

/** A tool that failed is told to the model. */
const isFailure = (result: unknown): boolean =>
  ToolMessage.isInstance(result) && (result as ToolMessage).status === 'error';

/** In the state of the agent. Others may trim its messages, but not this. */
interface State {
  readonly messages?: readonly unknown[];
  readonly _countersignTurn?: number | undefined;
}

const stateSchema = z.object({ _countersignTurn: z.number().optional() });

/** Counts the turns of the model in which it calls tools. The caller may give a history that has turns. */
function nextTurn(state: State) {
  const { messages = [], _countersignTurn: turn = 0 } = state;
  if (!callsTools(messages.at(-1))) return undefined;
  return { _countersignTurn: Math.max(turn + 1, turnsIn(messages)) };
}

/** Some models give each call of a conversation the same id. The turn tells them apart. */
const turnOf = ({ messages = [], _countersignTurn: turn }: State): number =>
  turn ?? Math.max(1, turnsIn(messages));

const turnsIn = (messages: readonly unknown[]): number => messages.filter(callsTools).length;

function callsTools(message: unknown): boolean {
  const { tool_calls: calls } = (message ?? {}) as { readonly tool_calls?: unknown };
  return Array.isArray(calls) && calls.length > 0;
}

/** A node that is interrupted runs again, and its approval was used. */
function notInterrupted(error: unknown): unknown {
  return error instanceof Error && error.name === 'GraphInterrupt'
    ? new TypeError(
        'The call interrupted the graph after it was approved, so it cannot go on. Interrupt in a node before it.',
        { cause: error },
      )
    : error;
}

/** An abort, for one, is not told. Arguments that are no JSON are for the model to fix. */
function toModelOf(error: unknown): string | undefined {
  if (error instanceof NotApproved || error instanceof Unavailable) return error.toModel;
  if (error instanceof TypeError) return `${error.message} The call did not run.`;
  return undefined;
}

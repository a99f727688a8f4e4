/** Gates the tool calls of an agent of LangChain: a middleware that asks before each. */
import { createMiddleware, ToolMessage, type AgentMiddleware, type Runtime } from 'langchain';
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
            ordinal: ordinalOf(toolCall, request.state),
            arguments: args as ToolCall['arguments'],
            session: typeof session === 'function' ? session(runtime) : session,
          },
          async (approved) => {
            isRunning = true;
            return await handler({ ...request, toolCall: { ...toolCall, args: approved } });
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

/** Some models give each call of a conversation the same id. The message with this call is among those of the state. */
function ordinalOf({ name, id }: { name: string; id?: string }, state: unknown): number {
  const { messages = [] } = (state ?? {}) as { messages?: readonly unknown[] };
  const calls = messages.flatMap((message) => {
    const { tool_calls: made } = (message ?? {}) as { tool_calls?: unknown };
    return Array.isArray(made) ? (made as { name?: unknown; id?: unknown }[]) : [];
  });
  return Math.max(1, calls.filter((call) => call.name === name && call.id === id).length);
}

/** An abort, for one, is not told. Arguments that are no JSON are the model's to mend. */
function toModelOf(error: unknown): string | undefined {
  if (error instanceof NotApproved || error instanceof Unavailable) return error.toModel;
  if (error instanceof TypeError) return `${error.message} The call did not run.`;
  return undefined;
}

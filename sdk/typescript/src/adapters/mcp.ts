/** For programs that call MCP servers: every call of a tool that the client sends is asked for first. */
import type { Countersign } from '../countersign.ts';
import { NotApproved, Unavailable } from '../errors.ts';
import { namesIn } from './exempt.ts';

export interface McpGate {
  readonly countersign: Countersign;
  /** Name of the server, as rules compare it. */
  readonly server: string;
  /** The conversation or run. */
  readonly session: string;
  /** Tools whose calls are not asked for. Default: none. */
  readonly exempt?: readonly string[];
  /** As of `run`: the model hears before the client's own limit that the call waits, and makes it again later. */
  readonly park?: boolean | string;
}

/** What clients of `@modelcontextprotocol/client` 2 and `@modelcontextprotocol/sdk` 1 have in common. */
interface McpClient {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- its overloads differ
  request: (...args: any[]) => Promise<any>;
}

interface McpRequest {
  readonly method: string;
  readonly params?: { readonly name: string; readonly arguments?: Record<string, unknown> };
}

/**
 * Changes this client, and returns it. `callTool` resolves with an error result for the model where there is no approval. The
 * client's time limit begins with the approval.
 */
export function gateClient<T extends McpClient>(client: T, gate: McpGate): T {
  const { countersign, server, session, park } = gate;
  const free = namesIn(gate.exempt);
  const send = client.request.bind(client);
  client.request = async (request: McpRequest, ...more: unknown[]): Promise<unknown> => {
    const { method, params } = request;
    if (method !== 'tools/call') return await send(request, ...more);
    const tool = params?.name ?? '';
    if (free.has(tool)) return await send(request, ...more);
    const call = { tool, server, session, arguments: params?.arguments ?? {} };
    const signal = signalOf(more);
    let isRunning = false;
    return await countersign
      .run(
        call,
        async (approved): Promise<unknown> => {
          isRunning = true;
          const sent = { ...request, params: { ...params, name: tool, arguments: approved } };
          return await send(sent, ...more);
        },
        { signal, park, isFailure },
      )
      .catch((error: unknown) => {
        const text = isRunning ? undefined : toModelOf(error);
        if (text === undefined) throw error;
        return { content: [{ type: 'text', text }], isError: true };
      });
  };
  return client;
}

const isFailure = (result: unknown): boolean =>
  (result as { readonly isError?: unknown } | undefined)?.isError === true;

/** Arguments that are no JSON, such as NaN, are for the model to fix. */
function toModelOf(error: unknown): string | undefined {
  if (error instanceof NotApproved || error instanceof Unavailable) return error.toModel;
  return error instanceof TypeError ? `${error.message} The call did not run.` : undefined;
}

/** The options are the last argument. */
function signalOf(args: readonly unknown[]): AbortSignal | undefined {
  const { signal } = (args.at(-1) ?? {}) as { readonly signal?: unknown };
  return signal instanceof AbortSignal ? signal : undefined;
}

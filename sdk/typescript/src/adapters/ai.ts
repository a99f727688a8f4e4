/** Gates the tools of the AI SDK, versions 6 and 7: each is asked about where it executes, whatever the messages say. */
import type { ToolCall } from '../calls.ts';
import type { Countersign } from '../countersign.ts';
import { ordinalOf } from './ordinals.ts';
import { refused } from './refused.ts';
import { during, turnsOf, type Turn } from './turns.ts';

/** What the AI SDK gives an execution, as far as the gate and its users look at it. */
export interface Execution {
  readonly toolCallId?: string;
  readonly abortSignal?: AbortSignal;
  /** What came before the call. */
  readonly messages?: readonly unknown[];
  /** The context of the tool in version 7. */
  readonly context?: unknown;
  /** In version 6. */
  readonly experimental_context?: unknown;
}

export interface GateOptions extends Pick<ToolCall, 'server' | 'context' | 'timeout'> {
  readonly countersign: Countersign;
  /** The conversation, such as the id of the chat. An agent that serves several takes it from the context of the call. */
  readonly session: string | ((execution: Execution) => string);
}

type Execute = (input: unknown, execution?: Execution) => unknown;

/**
 * The same tools, each with an `execute` that runs only with an approval. Throws a TypeError for a tool that no gate holds,
 * because it executes in the client or at the provider. The set and its tools are frozen. `needsApproval` is left as it is and
 * not relied on: where it is undefined nothing is asked, and clients can forge what it asks.
 */
export function gateTools<Tools extends object>(
  tools: Tools,
  options: GateOptions,
): Readonly<Tools> {
  if (typeof options.session !== 'function' && !options.session)
    throw new TypeError('gateTools needs the session of the calls.');
  const gated = Object.entries(tools).map(([name, tool]) => [name, gatedTool(name, tool, options)]);
  return Object.freeze(Object.fromEntries(gated) as Tools);
}

function gatedTool(name: string, tool: unknown, options: GateOptions): object {
  const { execute, type, isProviderExecuted } = (tool ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof execute !== 'function' || (type === 'provider' && isProviderExecuted === true))
    throw new TypeError(
      `The tool ${JSON.stringify(name)} does not execute here, so no gate holds it. Give it an execute function, or leave it out of gateTools and gate it where it executes.`,
    );
  const own = (execute as Execute).bind(tool);
  const gated = isGenerator(execute) ? streaming(name, own, options) : plain(name, own, options);
  const copy: object = Object.create(Object.getPrototypeOf(tool) as object, {
    ...Object.getOwnPropertyDescriptors(tool as object),
    execute: { value: gated, enumerable: true },
  }) as object;
  return Object.freeze(copy);
}

function plain(name: string, execute: Execute, options: GateOptions): Execute {
  return async (input, execution = {}) => {
    const { countersign } = options;
    let isRunning = false;
    try {
      return await during(turnOf(name, input, { options, execution }), async (call) =>
        countersign.run(
          call,
          async (args) => {
            isRunning = true;
            return await lastOf(await execute(args, execution));
          },
          { signal: execution.abortSignal },
        ),
      );
    } catch (error) {
      throw isRunning ? error : refused(error);
    }
  };
}

/** Only a generator is known to stream before it runs. */
function streaming(name: string, execute: Execute, options: GateOptions): Execute {
  return async function* (input, execution = {}) {
    const { countersign } = options;
    const turn = turnOf(name, input, { options, execution });
    const approved = await countersign
      .ask(turn.call, { signal: execution.abortSignal })
      .catch((error: unknown) => {
        turn.end(error);
        throw refused(error);
      });
    let outcome: 'failed' | 'succeeded' = 'failed';
    try {
      yield* execute(approved.arguments, execution) as AsyncIterable<unknown>;
      outcome = 'succeeded';
    } finally {
      turn.end();
      await countersign.report(approved, { outcome });
    }
  };
}

/** Some models give each call of a conversation the same id. */
function turnOf(
  tool: string,
  input: unknown,
  { options, execution }: { readonly options: GateOptions; readonly execution: Execution },
): Turn {
  const { countersign, session: given, server, context, timeout } = options;
  const { toolCallId: callId, messages = [] } = execution;
  const session = typeof given === 'function' ? given(execution) : given;
  const call = {
    ...{ tool, session, server, context, timeout, callId },
    arguments: input as ToolCall['arguments'],
  };
  const turns = turnsOf(countersign);
  const place = { session, tool, callId: callId ?? '', messages };
  return turns.at(
    call,
    ordinalOf(place, (before) => turns.next(call, { before }).call.ordinal),
  );
}

const isGenerator = (execute: object): boolean =>
  Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';

/** The result of a function that returns a stream is its last value, as in the AI SDK. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result))
    return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}

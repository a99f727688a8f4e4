/** Gates function tools of the OpenAI Agents SDK, and runs that are kept while a person is asked. */
import {
  getCurrentSpan,
  run,
  RunContext,
  RunState,
  tool as toolOf,
  type Agent,
  type AgentInputItem,
  type FunctionTool,
  type NonStreamRunOptions,
  type RunResult,
  type RunStreamEvent,
  type RunToolApprovalItem,
  type StreamedRunResult,
  type StreamRunOptions,
} from '@openai/agents';
import { JsonText } from '../arguments.ts';
import type { Ticket, ToolCall } from '../calls.ts';
import type { Countersign } from '../countersign.ts';
import { NotApproved, Unavailable } from '../errors.ts';
import { during, turnsOf, type Ordinals, type Turn } from './turns.ts';

/* eslint-disable @typescript-eslint/no-explicit-any -- of every context and output, as in the Agents SDK */
type AnyTool = FunctionTool<any, any, any>;
type AnyAgent = Agent<any, any>;
type AnyContext = RunContext<any>;
/* eslint-enable @typescript-eslint/no-explicit-any */

export interface GateOptions extends Pick<ToolCall, 'server' | 'context' | 'timeout'> {
  readonly countersign: Countersign;
  /** The conversation. An agent that serves several takes it from the context of the run. */
  readonly session: string | ((context: AnyContext) => string);
  /** The run stops at the call and can be kept while a person is asked: see `runDurable`. Default: the call waits. */
  readonly durable?: boolean;
}

interface Gate {
  readonly countersign: Countersign;
  /** Throws for arguments that are no JSON object. */
  readonly turnOf: (context: AnyContext, input: string, callId: string | undefined) => Turn;
}

/** Of durable tools, by the function that only they have. */
const gates = new WeakMap<object, Gate>();

/** Of the two kinds of `needsApproval` that the Agents SDK knows, the one that is for all arguments, valid or not. */
const { needsApproval: always } = toolOf({
  ...{ name: 'gated', description: '', needsApproval: true, strict: false as const },
  parameters: {
    type: 'object' as const,
    properties: {},
    required: [],
    additionalProperties: true as const,
  },
  execute: () => '',
});

/**
 * The same tool, whose `invoke` runs only with an approval of the text that the model wrote. Throws a TypeError for what is not a
 * function tool. `needsApproval` is not relied on: it is left as it is, unless `durable` replaces it.
 */
export function gateTool<Tool extends AnyTool>(tool: Tool, options: GateOptions): Readonly<Tool> {
  const { name, invoke, type } = (tool ?? {}) as Partial<AnyTool>;
  if (type !== 'function' || typeof invoke !== 'function' || !name)
    throw new TypeError(
      'gateTool takes function tools. Hosted tools, computers, shells and MCP servers do not execute in a function, so no gate can hold them.',
    );
  const gate = gateOf(name, options);
  const gated: AnyTool['invoke'] = async (context, input, details) => {
    let isRunning = false;
    const isFailure = failureOf(getCurrentSpan());
    try {
      const turn = gate.turnOf(context, input, details?.toolCall?.callId);
      return await during<unknown>(turn, async (call) =>
        gate.countersign.run(
          call,
          async (_, { argumentsText }): Promise<unknown> => {
            isRunning = true;
            return await invoke.call(tool, context, argumentsText, details);
          },
          { signal: details?.signal, isFailure },
        ),
      );
    } catch (error) {
      const text = isRunning ? undefined : toModelOf(error);
      if (text === undefined) throw error;
      // Only a tool with `outputSchema` promises the model a form of its results, and has this function.
      if (!tool.outputSchema) return text;
      if (!tool.errorFunction) throw error;
      return (await tool.errorFunction(context, new Error(text), details)) as unknown;
    }
  };
  if (options.durable) gates.set(gated, gate);
  return Object.freeze(
    Object.create(Object.getPrototypeOf(tool) as object, {
      ...Object.getOwnPropertyDescriptors(tool),
      invoke: { value: gated, enumerable: true },
      ...(options.durable && { needsApproval: { value: always, enumerable: true } }),
    }) as Tool,
  );
}

/** The text of a tool's error function looks like any result. Only the span of the call hears of the error. */
function failureOf(span: ReturnType<typeof getCurrentSpan>): () => boolean {
  let isFailure = false;
  if (span) {
    const setError = span.setError.bind(span);
    span.setError = (error) => {
      isFailure = true;
      setError(error);
    };
  }
  return () => isFailure;
}

function gateOf(tool: string, options: GateOptions): Gate {
  const { countersign, session, server, context, timeout, durable } = options;
  if (typeof session !== 'function' && !session)
    throw new TypeError('gateTool needs the session of the calls.');
  return {
    countersign,
    turnOf: (runContext, input, callId) => {
      const call = {
        ...{ tool, server, context, timeout, callId, arguments: new JsonText(input) },
        session: typeof session === 'function' ? session(runContext) : session,
      };
      const turns = turnsOf(countersign);
      if (!durable) return turns.next(call);
      const { before, ordinals: run } = ordinalsOf(runContext);
      return turns.next(call, { before, run });
    },
  };
}

interface DurableOrdinals {
  /** As long as the conversation before the run, so that each run has other ones, in each process. */
  readonly before: number;
  /** In one run, the Agents SDK runs equal calls with one id once. */
  readonly ordinals: Ordinals;
}

const durableOrdinals = new WeakMap<AnyContext, DurableOrdinals>();

function ordinalsOf(context: AnyContext, before = 0): DurableOrdinals {
  const known = durableOrdinals.get(context) ?? { before, ordinals: new Map<string, number>() };
  durableOrdinals.set(context, known);
  return known;
}

/** The state of the Agents SDK leaves out members that it does not know. */
function stateOf({ state, runContext }: Pick<Stopped, 'state' | 'runContext'>): string {
  const members = JSON.parse(state.toString()) as object;
  return JSON.stringify({ ...members, [ORDINALS]: [...ordinalsOf(runContext).ordinals] });
}

/** Of a state that others may have changed. A wrong ordinal is another question. */
function ordinalsIn(state: string): Ordinals {
  const given = (JSON.parse(state) as Record<string, unknown>)[ORDINALS];
  const entries = (Array.isArray(given) ? given : []) as [string, number][];
  return new Map(entries.filter(([, ordinal]) => Number.isSafeInteger(ordinal) && ordinal > 0));
}

const ORDINALS = 'countersign_ordinals';

/** An abort, for one, is not told. Arguments that are no JSON object are for the model to fix. */
function toModelOf(error: unknown): string | undefined {
  if (error instanceof NotApproved || error instanceof Unavailable) return error.toModel;
  if (error instanceof TypeError || error instanceof SyntaxError)
    return `${error.message} The call did not run.`;
  return undefined;
}

export interface Suspended {
  /** Keep it, and give it to `runDurable` when people have decided. */
  readonly state: string;
  /** Of the calls that wait. A call that could not be asked for has none: continue later. */
  readonly tickets: readonly Ticket[];
}

export interface DurableRun<Result> {
  readonly result: Result;
  /** People are asked, or the service is away. */
  readonly suspended?: Suspended;
}

/** The last event of a streamed run. */
export interface DurableRunEnd<Result> extends DurableRun<Result> {
  readonly type: 'durable_run_end';
}

/** As for `run`, or the state of a run that was suspended, in this process or another one. */
export type DurableInput = string | AgentInputItem[] | { readonly state: string };

/**
 * Runs the agent until it is done, or can only wait for people. The state decides nothing: each call asks the service before it
 * runs. A run stays suspended while the service is away.
 */
export async function runDurable<TAgent extends AnyAgent, Context = undefined>(
  agent: TAgent,
  input: DurableInput,
  options: NonStreamRunOptions<Context, TAgent> = {},
): Promise<DurableRun<RunResult<Context, TAgent>>> {
  let from = await inputOf(agent, input, options);
  for (;;) {
    const result = await run<TAgent, Context>(agent, from, options);
    const next = await nextOf(result, options.signal);
    if (next !== 'goes on') return { result, ...next };
    from = result.state;
  }
}

/** As `runDurable`. It yields the events of the run, and then its end. */
export async function* streamDurable<TAgent extends AnyAgent, Context = undefined>(
  agent: TAgent,
  input: DurableInput,
  options: Omit<StreamRunOptions<Context, TAgent>, 'stream'> = {},
): AsyncGenerator<RunStreamEvent | DurableRunEnd<StreamedRunResult<Context, TAgent>>, void> {
  let from = await inputOf(agent, input, options);
  for (;;) {
    const result = await run<TAgent, Context>(agent, from, { ...options, stream: true });
    yield* result;
    await result.completed;
    const next = await nextOf(result, options.signal);
    if (next !== 'goes on') {
      yield { type: 'durable_run_end', result, ...next };
      return;
    }
    from = result.state;
  }
}

interface Stopped {
  readonly input: string | AgentInputItem[];
  readonly interruptions: readonly RunToolApprovalItem[];
  readonly runContext: AnyContext;
  readonly state: Pick<RunState<unknown, AnyAgent>, 'approve' | 'reject' | 'toString'>;
}

/** What is left to do. The run continues where at least one call has a decision. */
async function nextOf(
  result: Stopped,
  signal: AbortSignal | undefined,
): Promise<'goes on' | { readonly suspended?: Suspended }> {
  const { interruptions, input, runContext } = result;
  if (interruptions.length === 0) return {};
  ordinalsOf(runContext, typeof input === 'string' ? 0 : input.length - 1);
  const tickets: Ticket[] = [];
  let goesOn = false;
  for (const item of interruptions) {
    const gate = gateFor(item);
    // What is not gated is its owner's to approve.
    if (!gate) continue;
    const pending = await pendingOf(item, { gate, result, signal });
    if (pending === 'decided') goesOn = true;
    else if (pending !== 'away') tickets.push(pending);
  }
  return goesOn ? 'goes on' : { suspended: { state: stateOf(result), tickets } };
}

async function inputOf<TAgent extends AnyAgent, Context>(
  agent: TAgent,
  input: DurableInput,
  { context }: { readonly context?: NonStreamRunOptions<Context, TAgent>['context'] },
): Promise<string | AgentInputItem[] | RunState<Context, TAgent>> {
  if (typeof input === 'string' || Array.isArray(input)) return input;
  const own = context instanceof RunContext ? context : new RunContext(context);
  const state = await (context === undefined
    ? RunState.fromString<Context, TAgent>(agent, input.state)
    : RunState.fromStringWithContext(agent, input.state, own));
  for (const [name, ordinal] of ordinalsIn(input.state))
    ordinalsOf(state._context).ordinals.set(name, ordinal);
  return state;
}

function gateFor({ rawItem, agent }: RunToolApprovalItem): Gate | undefined {
  if (rawItem.type !== 'function_call') return undefined;
  const tools = (agent as AnyAgent).tools.filter(
    (tool) => tool.type === 'function' && tool.name === rawItem.name,
  ) as AnyTool[];
  return tools.map(({ invoke }) => gates.get(invoke)).find((gate) => gate !== undefined);
}

/** Asks, and lets the call continue when there is a decision, whatever it is: the gate hears it when the call runs. */
async function pendingOf(
  item: RunToolApprovalItem,
  {
    gate: { countersign, turnOf },
    result: { state, runContext },
    signal,
  }: {
    readonly gate: Gate;
    readonly result: Stopped;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Ticket | 'decided' | 'away'> {
  const { callId } = item.rawItem as { readonly callId: string };
  try {
    const { call } = turnOf(runContext, item.arguments ?? '', callId);
    const ticket = await countersign.start(call, { signal, keep: true });
    if (await countersign.isPending(ticket, { signal })) return ticket;
    state.approve(item);
  } catch (error) {
    // A person may have decided, or still will.
    if (error instanceof Unavailable && error.reason === 'unreachable') return 'away';
    const message = toModelOf(error);
    if (message === undefined) throw error;
    state.reject(item, { message });
  }
  return 'decided';
}

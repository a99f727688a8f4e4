/**
 * A stdio MCP server around another one. It asks before a call of a tool reaches the other server, and passes the bytes of
 * everything else on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Approved, CallResult } from '../../calls.ts';
import { Countersign } from '../../countersign.ts';
import { NotApproved } from '../../errors.ts';
import { toModel } from '../refused.ts';
import { linesOf } from './lines.ts';
import { nameOf, readMessage, readResult, type Refused, type ToolsCall } from './messages.ts';

export interface Wrapped {
  /** Name of the server, as rules compare it. */
  readonly alias: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Whether calls of this tool are asked for. */
  readonly asks: (tool: string) => boolean;
  /** As of `Countersign`. */
  readonly limit: string;
  /** How long reviewers have where calls are parked at the limit. */
  readonly park?: string | undefined;
}

/** What MCP clients read, too. */
const LONGEST_LINE = 10 * 1024 * 1024;
const PROGRESS_MS = 10_000;
/** Progress only grows, so ours stays below that of the tool. */
const PROGRESS_STEP = 1e-6;
/** Clients end a server two seconds after its input ended, and kill it two seconds later. So the other one ends before. */
const ENDS_ITSELF_MS = 1_500;
const KILL_MS = 1_000;
/** What its output may take after its end. */
const LAST_LINES_MS = 5_000;
const ENDINGS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves with the exit code, once the other server has ended. Throws `Unavailable` if nothing says where to ask. */
export async function wrap(wrapped: Wrapped): Promise<number> {
  const pending = new AsyncLocalStorage<(reviewUrl: string) => void>();
  const { limit, park } = wrapped;
  const countersign = new Countersign({
    // Reviewers have the limit, but for the time to withdraw, or longer where a call is parked.
    ...{ limit, timeout: park ?? limit },
    onPending: ({ tool, reviewUrl }) => {
      log(`${tool} waits for a reviewer: ${reviewUrl}`);
      pending.getStore()?.(reviewUrl);
    },
  });
  const child = spawn(wrapped.command, wrapped.args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: withoutCredentials(process.env),
  });
  const wrapper = new Wrapper(wrapped, { countersign, pending, stdin: child.stdin });
  const code = exitOf(child);
  const stop = (signal: NodeJS.Signals) => {
    wrapper.close();
    child.kill(signal);
    setTimeout(() => child.kill('SIGKILL'), KILL_MS).unref();
  };
  const left = () => {
    wrapper.close();
    setTimeout(stop, ENDS_ITSELF_MS, 'SIGTERM').unref();
  };
  for (const signal of ENDINGS) process.on(signal, stop);
  process.stdout.on('error', left);
  const forwarded = pass(child.stdout, process.stdout, wrapper.heard).catch(wrapper.close);
  void wrapper.read(process.stdin).then(left, left);
  const ended = await code;
  wrapper.close();
  await Promise.race([forwarded, delay(LAST_LINES_MS)]);
  wrapper.ended();
  await wrapper.settled();
  return ended;
}

/** The other server is no one who may ask. */
function withoutCredentials(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^COUNTERSIGN_/i.test(name)));
}

async function exitOf(child: ChildProcess): Promise<number> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal ? constants.signals[signal] : 0);
  } catch (error) {
    log(`${child.spawnfile} cannot be started: ${String(error)}`);
    return 127;
  }
}

/** By whole lines, so that none of ours comes between. */
async function pass(
  from: Readable,
  to: Writable,
  heard: (line: Uint8Array) => void,
): Promise<void> {
  for await (const line of linesOf(from)) {
    if (typeof line !== 'string') heard(line);
    if (!to.write(line)) await once(to, 'drain');
  }
}

interface Around {
  readonly countersign: Countersign;
  readonly pending: AsyncLocalStorage<(reviewUrl: string) => void>;
  /** Of the other server. */
  readonly stdin: Writable;
}

class Wrapper {
  readonly #wrapped: Wrapped;
  readonly #around: Around;
  /** Ids of JSON-RPC begin again in each process, so an approval of one is none in another. */
  readonly #session = randomUUID();
  /** Of calls that are asked for. */
  readonly #open = new Map<string, AbortController>();
  readonly #asking = new Set<Promise<void>>();
  /** Of calls that reached the other server, what was approved. */
  readonly #running = new Map<string, Pick<Approved, 'id'>>();
  #count = 0;
  #isClosed = false;

  constructor(wrapped: Wrapped, around: Around) {
    this.#wrapped = wrapped;
    this.#around = around;
    // The other server may end before it has read everything.
    around.stdin.on('error', () => undefined);
  }

  async read(client: Readable): Promise<void> {
    for await (const line of linesOf(client, LONGEST_LINE)) {
      if (line === 'too long')
        this.#refuse({ id: 'null', code: -32600, message: 'The message is longer than 10 MiB.' });
      // A line that has no end is none.
      else if (line.at(-1) === 0x0a) await this.#take(line);
    }
  }

  /** Withdraws what is open. The other server ends when its input does. */
  readonly close = (): void => {
    this.#isClosed = true;
    for (const abort of this.#open.values()) abort.abort();
    this.#around.stdin.end();
  };

  async settled(): Promise<void> {
    await Promise.all(this.#asking);
  }

  /** A line of the other server, which may be the result of a call. */
  readonly heard = (line: Uint8Array): void => {
    if (this.#running.size === 0) return;
    const result = readResult(line);
    const approved = result && this.#running.get(result.id);
    if (!approved) return;
    this.#running.delete(result.id);
    this.#report(approved, { outcome: result.isFailure ? 'failed' : 'succeeded' });
  };

  ended(): void {
    for (const approved of this.#running.values())
      this.#report(approved, { outcome: 'failed', detail: 'The server ended without a result.' });
    this.#running.clear();
  }

  #report(approved: Pick<Approved, 'id'>, result: CallResult): void {
    const reporting = this.#around.countersign
      .report(approved, result)
      .finally(() => this.#asking.delete(reporting));
    this.#asking.add(reporting);
  }

  async #take(line: Buffer): Promise<void> {
    const content = line.subarray(0, -1);
    if (content.toString('latin1').trim() === '') return;
    const message = readMessage(content);
    if (message.kind === 'refused') this.#refuse(message);
    else if (message.kind === 'call' && this.#wrapped.asks(message.tool)) this.#gate(message, line);
    else if (message.kind === 'cancel' && this.#open.has(message.id))
      // The other server has not seen the call.
      this.#open.get(message.id)?.abort();
    else await this.#forward(line);
  }

  #gate(call: ToolsCall, line: Buffer): void {
    // No one is asked about a call that cannot run.
    if (this.#isClosed) return;
    const name = nameOf(call.id);
    const double = this.#open.get(name);
    if (double) {
      double.abort();
      this.#refuse({ ...call, code: -32600, message: 'Two calls have this id. Neither ran.' });
      return;
    }
    const abort = new AbortController();
    this.#open.set(name, abort);
    const asking = this.#ask(call, line, abort.signal).finally(() => this.#asking.delete(asking));
    this.#asking.add(asking);
  }

  async #ask(call: ToolsCall, line: Buffer, signal: AbortSignal): Promise<void> {
    const { countersign, pending } = this.#around;
    const { tool, inputResponses } = call;
    const progress = new Progress(call.progressToken);
    const { limit, park } = this.#wrapped;
    let approved: Approved | undefined;
    try {
      approved = await pending.run(progress.tell, () =>
        countersign.ask(
          {
            ...{ tool, server: this.#wrapped.alias, arguments: call.arguments },
            ...{ session: this.#session, callId: String((this.#count += 1)) },
            ...(inputResponses !== undefined && { context: { input_responses: inputResponses } }),
          },
          // Answers to a server's question are not part of what makes two parked calls the same.
          { signal, park: park !== undefined && inputResponses === undefined && limit },
        ),
      );
      signal.throwIfAborted();
    } catch (error) {
      if (approved) this.#report(approved, { outcome: 'not_run' });
      if (!signal.aborted) write(refusalOf(call, error));
      return;
    } finally {
      progress.end();
      this.#open.delete(nameOf(call.id));
    }
    // The result of a task comes elsewhere.
    if (!call.isTask) this.#running.set(nameOf(call.id), approved);
    // At once, so that no cancellation comes between.
    await this.#forward(line);
  }

  async #forward(line: Buffer): Promise<void> {
    const { stdin } = this.#around;
    if (!stdin.writable || stdin.write(line)) return;
    await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]).catch(() => undefined);
  }

  #refuse({ id, code, message }: Omit<Refused, 'kind'>): void {
    if (id === undefined) log(message);
    else write(errorOf(id, code, message));
  }
}

/** Tells a client that asked for it that the call is not lost. Some extend their limit. */
class Progress {
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly token: string | undefined) {}

  readonly tell = (reviewUrl: string): void => {
    const { token } = this;
    if (token === undefined) return;
    const send = () => {
      const progress = (this.#count += 1) * PROGRESS_STEP;
      const message = JSON.stringify(`Waits for a reviewer: ${reviewUrl}`);
      write(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${String(progress)},"message":${message}}}`,
      );
    };
    send();
    this.#timer = setInterval(send, PROGRESS_MS);
  };

  end(): void {
    clearInterval(this.#timer);
  }
}

/** A result that the model reads, so that it continues without the call. */
function refusalOf({ id, isTask, isTyped }: ToolsCall, error: unknown): string {
  const text = JSON.stringify(forModel(error));
  if (isTask) return errorOf(id, -32000, JSON.parse(text) as string);
  const type = isTyped ? ',"resultType":"complete"' : '';
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":${text}}],"isError":true${type}}}`;
}

function forModel(error: unknown): string {
  if (!(error instanceof NotApproved)) log(error instanceof Error ? error.message : String(error));
  const text = toModel(error);
  const isExpired = error instanceof NotApproved && error.status === 'expired';
  return isExpired ? `${text} You can ask again with the same call.` : text;
}

const errorOf = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;

/** Clients show it in their logs. */
export function log(text: string): void {
  process.stderr.write(`countersign-mcp: ${text}\n`);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

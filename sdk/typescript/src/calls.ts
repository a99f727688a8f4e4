/** What callers give, and what they get. */
import type { Arguments } from './arguments.ts';
import type { Access } from './credentials.ts';
import type { Ledger } from './state/ledger.ts';

export interface ToolCall {
  /** Name of the tool, as rules compare it. */
  readonly tool: string;
  /** Alias of the MCP server that defines the tool. */
  readonly server?: string | undefined;
  readonly arguments: Arguments;
  /** The conversation or run. Two conversations never share an approval. */
  readonly session: string;
  /** The call's id in its session. With it, a repeated call continues its request, also after a restart. */
  readonly callId?: string | undefined;
  /**
   * Where a runtime gives several calls one id: which of them this is, from 1. Equal calls with one id and
   * ordinal are one call. Default: 1.
   */
  readonly ordinal?: number | undefined;
  /** What the agent says about the call. Reviewers see that it is not checked. */
  readonly reasoning?: string | undefined;
  /** Where the call comes from, as the adapter knows it. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** How long reviewers have, such as `15m`. */
  readonly timeout?: string | undefined;
}

export interface Options extends Access {
  /** How long reviewers have where the call does not say it. Default: `15m`. */
  readonly timeout?: string | undefined;
  /**
   * The most time an `ask` may take, withdrawing included, such as `9m` below the limit of a runtime. Default: the timeout
   * and 30 s.
   */
  readonly limit?: string | undefined;
  /** Context of every call. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** Keeps the keys of calls without `callId`. Default: in memory. */
  readonly ledger?: Ledger | undefined;
  /**
   * A person is asked. Called once for each call, and once in a process for equal calls that park. It is awaited. If it fails,
   * the request is withdrawn, unless equal calls keep waiting.
   */
  readonly onPending?: ((ticket: Ticket) => void | Promise<void>) | undefined;
}

/** A request that was made. It can be kept as JSON, and settled later by the same instance. */
export interface Ticket {
  readonly id: string;
  readonly tool: string;
  readonly server?: string;
  /** SHA-256 of all that reviewers see of the call, so that it is compared with what was approved. */
  readonly digest: string;
  /** ISO 8601. */
  readonly deadlineAt: string;
  /** Where a reviewer answers. */
  readonly reviewUrl: string;
  /** In the ledger, where the call has no id. */
  readonly entry?: string;
}

/** An approval that was started now, for one run of the call. */
export interface Approved {
  readonly id: string;
  readonly tool: string;
  readonly server?: string;
  /** What was approved, in a copy that the tool may change. Run the tool with these. */
  readonly arguments: Record<string, unknown>;
  /** The same as source text, with every digit. */
  readonly argumentsText: string;
  readonly note?: string;
  readonly startedAt: Date;
}

export interface AskOptions {
  /** Aborting it withdraws the request, unless equal parked calls keep waiting for it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * For a runtime that ends calls before people decide: the ask ends after this time, by default `55s`, with the status
   * `waiting`, and the request stays open. The same call later continues it.
   */
  readonly park?: boolean | string | undefined;
}

export interface StartOptions extends Pick<AskOptions, 'signal'> {
  /**
   * For a call that will be made again, as a suspended run does: where the service is away, an earlier request of the call is not
   * withdrawn.
   */
  readonly keep?: boolean | undefined;
}

export interface RunOptions<T = unknown> extends AskOptions {
  /** Whether the result says that the call failed. Default: it failed where the function throws. */
  readonly isFailure?: ((result: T) => boolean) | undefined;
}

/** What came of a call that was started, for reviewers. */
export interface CallResult {
  readonly outcome: 'succeeded' | 'failed' | 'not_run' | 'refused_by_runtime' | 'ran_differently';
  /** More about it, without arguments. It is cut after 2,000 characters. */
  readonly detail?: string | undefined;
  /** SHA-256 of the arguments that ran, in hex. */
  readonly argumentsDigest?: string | undefined;
}

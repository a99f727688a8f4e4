/** Asks before a call runs. Only `run`, `ask` and `settle` that resolve mean that it may; everything else throws. */
import { prepare, type Asker, type Asking } from './asking.ts';
import type { Approved, AskOptions, Options, Ticket, ToolCall } from './calls.ts';
import { credentialsFor } from './credentials.ts';
import { NotApproved } from './errors.ts';
import { Refusal } from './http.ts';
import { Keys } from './keys.ts';
import { memoryLedger } from './ledger.ts';
import { limitsOf, limitsUntil, requireTimes, withdrawLimits } from './limits.ts';
import { understandable } from './outcomes.ts';
import type { Request } from './request.ts';
import { Requests } from './requests.ts';
import { idOf, requireSameCall, ticketOf } from './tickets.ts';

export class Countersign {
  readonly #asker: Asker;
  readonly #requests: Requests;
  readonly #url: string;

  /** Throws `Unavailable` when the address or the token is missing or wrong. */
  constructor(options: Options = {}) {
    const credentials = credentialsFor(options);
    this.#url = credentials.url;
    this.#requests = new Requests(credentials);
    this.#asker = {
      options,
      keys: new Keys(options.ledger ?? memoryLedger()),
      token: (ms, limits) => this.#requests.token(ms, limits),
    };
    requireTimes(options);
  }

  /**
   * Asks, then runs `fn` with the arguments that were approved. Throws `NotApproved` or `Unavailable` without running it,
   * and what `fn` throws.
   */
  async run<T>(
    call: ToolCall,
    fn: (args: Readonly<Record<string, unknown>>, approved: Approved) => T | Promise<T>,
    options: AskOptions = {},
  ): Promise<T> {
    const { approved, forget } = await this.#approve(call, options);
    try {
      return await fn(approved.arguments, approved);
    } finally {
      await forget();
    }
  }

  /** Resolves for an approval that is good for one run, now. Throws `NotApproved`, `Unavailable`, and the reason of an abort. */
  async ask(call: ToolCall, options: AskOptions = {}): Promise<Approved> {
    const { approved, forget } = await this.#approve(call, options);
    await forget();
    options.signal?.throwIfAborted();
    return approved;
  }

  /** `forget`: the caller is through with the call. Until then, a crash leaves its key, so that it is not run again. */
  async #approve(call: ToolCall, options: AskOptions) {
    const { signal } = options;
    const asking = await prepare(call, options, this.#asker);
    let request: Request | undefined;
    try {
      request = await this.#requests.create(asking);
      if (request.status === 'pending')
        await this.#asker.options.onPending?.(this.#ticketOf(request, asking));
      request = await this.#requests.wait(request, asking);
      asking.requireSame();
    } catch (error) {
      await this.#giveUp(asking, request, error);
      throw understandable(error);
    }
    try {
      const approved = await this.#requests.start(request, asking);
      // While the service recorded the start, too.
      asking.requireSame();
      signal?.throwIfAborted();
      return { approved, forget: asking.forget };
    } catch (error) {
      await asking.forget();
      throw error;
    }
  }

  /** Only makes the request. `settle` waits for its decision, in this process or a later one. */
  async start(call: ToolCall, options: AskOptions = {}): Promise<Ticket> {
    const asking = await prepare(call, options, this.#asker);
    try {
      return this.#ticketOf(await this.#requests.create(asking), asking);
    } catch (error) {
      await this.#giveUp(asking, undefined, error);
      throw understandable(error);
    }
  }

  /** As `ask`, for a request that was made before. With a ticket, its tool, server and arguments must be those of the request. */
  async settle(ticket: Ticket | string, { signal }: AskOptions = {}): Promise<Approved> {
    const id = idOf(ticket);
    const { options } = this.#asker;
    let limits = limitsOf(options, undefined, signal);
    try {
      const token = await this.#requests.token(0, limits);
      const first = await this.#requests.read(id, { limits, token });
      if (typeof ticket !== 'string') requireSameCall(ticket, first);
      if (options.limit === undefined) limits = limitsUntil(first.deadlineAt, limits);
      const request = await this.#requests.wait(first, { limits, token });
      const approved = await this.#requests.start(request, { limits, token });
      await this.#forget(ticket);
      signal?.throwIfAborted();
      return approved;
    } catch (error) {
      if (signal?.aborted) await this.withdraw(ticket).catch(() => undefined);
      else if (error instanceof NotApproved && error.status !== 'changed')
        await this.#forget(ticket);
      throw understandable(error);
    }
  }

  /** True while no one has decided. What was decided, only `settle` says, or `run` of the same call. */
  async isPending(ticket: Ticket | string, { signal }: AskOptions = {}): Promise<boolean> {
    const id = idOf(ticket);
    const limits = limitsOf(this.#asker.options, '1m', signal);
    try {
      const token = await this.#requests.token(0, limits);
      const request = await this.#requests.read(id, { limits, token });
      if (typeof ticket !== 'string') requireSameCall(ticket, request);
      return request.status === 'pending';
    } catch (error) {
      throw understandable(error);
    }
  }

  /** True when the request is cancelled now. False when it was approved, denied or expired before. */
  async withdraw(ticket: Ticket | string): Promise<boolean> {
    const path = `/requests/${idOf(ticket)}`;
    const isCancelled = await this.#requests.withdraw(path, withdrawLimits());
    if (isCancelled) await this.#forget(ticket);
    return isCancelled;
  }

  async #forget(ticket: Ticket | string): Promise<void> {
    if (typeof ticket !== 'string' && ticket.entry !== undefined)
      await this.#asker.keys.forget(ticket.entry);
  }

  /** Reports the tools of this instance, as the service's `PUT /tool_catalog` takes them. */
  async reportTools(report: Readonly<Record<string, unknown>>): Promise<void> {
    const limits = limitsOf(this.#asker.options, '1m', undefined);
    await this.#requests.reportTools(report, limits).catch((error: unknown) => {
      throw understandable(error);
    });
  }

  #ticketOf(request: Request, { entry }: Asking): Ticket {
    return ticketOf(request, { url: this.#url, entry });
  }

  /** No one is asked about a call that will not run. What the service refused has no request of this call. */
  async #giveUp(
    { key, token, limits, forget }: Asking,
    request: Request | undefined,
    error: unknown,
  ): Promise<void> {
    if (request ? request.status !== 'pending' : error instanceof Refusal) return await forget();
    const path = request
      ? `/requests/${request.id}`
      : `/requests?idempotency_key=${encodeURIComponent(key)}`;
    const isWithdrawn = await this.#requests.withdraw(path, withdrawLimits(limits), token).then(
      () => true,
      () => false,
    );
    if (isWithdrawn) await forget();
  }
}

/** Asks before a call runs. Only `run`, `ask` and `settle` that resolve mean that it may; everything else throws. */
import { prepare, type Asker, type Asking } from './asking.ts';
import type {
  Approved,
  AskOptions,
  CallResult,
  Options,
  RunOptions,
  StartOptions,
  Ticket,
  ToolCall,
} from './calls.ts';
import { credentialsFor } from './credentials.ts';
import { NotApproved, Unavailable } from './errors.ts';
import { Refusal } from './http.ts';
import { Keys } from './state/keys.ts';
import { memoryLedger } from './state/ledger.ts';
import {
  bounded,
  limitsOf,
  limitsUntil,
  MARGIN_MS,
  requireTimes,
  withdrawLimits,
  type AskLimits,
} from './limits.ts';
import { understandable } from './outcomes.ts';
import type { Request } from './request.ts';
import { Requests } from './requests.ts';
import { isFirstToTell, Place, wasNotTold, type Left } from './state/parked.ts';
import { idOf, requireSameCall, ticketOf } from './tickets.ts';

const isAway = (error: unknown): boolean =>
  error instanceof Unavailable && error.reason === 'unreachable';

/** A call that parks keeps its request, also where the service is away at its limit. */
const isWaiting = (error: unknown, { signal }: AskLimits): boolean =>
  !signal?.aborted && (error instanceof NotApproved ? error.status === 'waiting' : isAway(error));

interface GivenUp {
  readonly request?: Request | undefined;
  readonly error: unknown;
  readonly place: Place;
}

/** The requests of equal calls that ended before, but for this one. */
const othersOf = ({ id }: Request, left: readonly Left[] = []): readonly Left[] =>
  left.filter(({ path }) => path !== `/requests/${id}`);

export class Countersign {
  readonly #asker: Asker;
  readonly #requests: Requests;
  readonly #url: string;
  readonly #agent: string;

  /** Throws `Unavailable` when the address or the token is missing or wrong. */
  constructor(options: Options = {}, requests?: Requests) {
    const credentials = credentialsFor(options);
    this.#url = credentials.url;
    this.#agent = credentials.agent;
    this.#requests = requests ?? new Requests(credentials);
    this.#asker = {
      options,
      keys: new Keys(options.ledger ?? memoryLedger()),
      token: (ms, limits) => this.#requests.token(ms, limits),
    };
    requireTimes(options);
  }

  /**
   * Asks, then runs `fn` with the arguments that were approved, and reports whether it succeeded. Throws `NotApproved` or
   * `Unavailable` without running it, and what `fn` throws.
   */
  async run<T>(
    call: ToolCall,
    fn: (args: Record<string, unknown>, approved: Approved) => T | Promise<T>,
    options: RunOptions<T> = {},
  ): Promise<T> {
    const { approved, asking } = await this.#approve(call, options);
    try {
      const result = await fn(approved.arguments, approved);
      const isFailure = options.isFailure?.(result) ?? false;
      await this.#report(approved, asking, { outcome: isFailure ? 'failed' : 'succeeded' });
      return result;
    } catch (error) {
      // Its message may have arguments in it.
      const detail = error instanceof Error ? error.name : undefined;
      await this.#report(approved, asking, { outcome: 'failed', detail });
      throw error;
    } finally {
      await asking.forget();
    }
  }

  /** Resolves for an approval that is good for one run, now. Throws `NotApproved`, `Unavailable`, and the reason of an abort. */
  async ask(call: ToolCall, options: AskOptions = {}): Promise<Approved> {
    const { approved, asking } = await this.#approve(call, options);
    await asking.forget();
    if (options.signal?.aborted) await this.#report(approved, asking, { outcome: 'not_run' });
    options.signal?.throwIfAborted();
    return approved;
  }

  /**
   * Tells reviewers, once, what came of a call that `ask` or `settle` approved. It never throws, and takes a few seconds at most.
   * `run` does it itself.
   */
  async report(started: Pick<Approved, 'id'>, result: CallResult): Promise<void> {
    const limits = withdrawLimits();
    const token = await this.#requests.token(0, limits).catch(() => undefined);
    if (token !== undefined) await this.#requests.report(started.id, result, { token, limits });
  }

  async #report({ id }: Approved, { token, limits }: Asking, result: CallResult): Promise<void> {
    await this.#requests.report(id, result, { token, limits: withdrawLimits(limits) });
  }

  /** The caller forgets the key once it is through with the call. Until then, a crash leaves it, so that it is not run again. */
  async #approve(call: ToolCall, options: AskOptions) {
    const asking = await prepare(call, options, this.#asker);
    const { parking } = asking;
    const place = new Place(parking && JSON.stringify([this.#agent, parking]));
    try {
      const request = await this.#decided(asking, place);
      try {
        return { approved: await this.#started(request, asking), asking };
      } finally {
        await this.#withdrawAll(othersOf(request, place.leave()), asking);
      }
    } finally {
      // Unless it was left before.
      place.leave();
    }
  }

  /** True when nothing of it is open any more. */
  async #withdrawAll(all: readonly Left[], { limits }: Asking): Promise<boolean> {
    const withdrawing = all.map(
      async ({ path, token }) => await this.#requests.withdraw(path, withdrawLimits(limits), token),
    );
    const results = await Promise.allSettled(withdrawing);
    return results.every(({ status }) => status === 'fulfilled');
  }

  /** The request, once it has an outcome. */
  async #decided(asking: Asking, place: Place): Promise<Request> {
    let request: Request | undefined;
    try {
      request = (await this.#parked(asking)) ?? (await this.#requests.create(asking));
      if (request.status === 'pending') await this.#tell(request, asking);
      request = await this.#requests.wait(request, asking);
      if (request.status === 'pending') throw new NotApproved('waiting', undefined, request.id);
      asking.requireSame();
      return request;
    } catch (error) {
      await this.#giveUp(asking, { request, error, place });
      throw understandable(error);
    }
  }

  async #started(request: Request, asking: Asking): Promise<Approved> {
    let approved: Approved | undefined;
    try {
      approved = await this.#requests.start(request, asking);
      // While the service recorded the start, too.
      asking.requireSame();
      asking.limits.signal?.throwIfAborted();
      return approved;
    } catch (error) {
      if (approved) await this.#report(approved, asking, { outcome: 'not_run' });
      await asking.forget();
      throw error;
    }
  }

  async #parked(asking: Asking): Promise<Request | undefined> {
    const { parking, limits } = asking;
    if (parking === undefined) return undefined;
    const id = await this.#asker.keys.load(parking, limits);
    return id === undefined ? undefined : await this.#requests.parked(id, asking);
  }

  async #tell(request: Request, asking: Asking): Promise<void> {
    const { onPending } = this.#asker.options;
    const { id, deadlineAt } = request;
    if (!onPending) return;
    if (asking.parking !== undefined && !isFirstToTell(id, deadlineAt.getTime() + MARGIN_MS))
      return;
    try {
      const telling = Promise.resolve(onPending(this.#ticketOf(request, asking)));
      await bounded(telling, asking.limits, 'onPending');
    } catch (error) {
      wasNotTold(id);
      throw error;
    }
  }

  /** Only makes the request. `settle` waits for its decision, in this process or a later one. */
  async start(call: ToolCall, { signal, keep = false }: StartOptions = {}): Promise<Ticket> {
    const asking = await prepare(call, { signal }, this.#asker);
    try {
      return this.#ticketOf(await this.#requests.create(asking), asking);
    } catch (error) {
      if (!keep || !isAway(error)) await this.#giveUp(asking, { error, place: new Place() });
      throw understandable(error);
    }
  }

  /** As `ask`, for a request that was made before. With a ticket, the request must be the question that it was made for. */
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
      if (signal?.aborted)
        await this.#requests.report(
          approved.id,
          { outcome: 'not_run' },
          { token, limits: withdrawLimits(limits) },
        );
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
      await this.#asker.keys.forget(ticket.entry, withdrawLimits());
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

  /**
   * No one is asked about a call that will not run, unless equal calls keep waiting. What the service refused has no request of
   * this call.
   */
  async #giveUp(asking: Asking, { request, error, place }: GivenUp): Promise<void> {
    const { key, token, limits, forget, parking } = asking;
    if (parking !== undefined && request?.status === 'pending' && isWaiting(error, limits)) {
      await this.#asker.keys.save(parking, request.id, withdrawLimits(limits));
      // What was asked with a key alone may be this request.
      const known = othersOf(request, place.leave()).filter(({ path }) => !path.includes('?'));
      await this.#withdrawAll(known, asking);
      return;
    }
    const isOver = request ? request.status !== 'pending' : error instanceof Refusal;
    const path = request
      ? `/requests/${request.id}`
      : `/requests?idempotency_key=${encodeURIComponent(key)}`;
    const left = place.leave(isOver ? undefined : { path, token });
    if (!left && !isOver) return;
    if (await this.#withdrawAll(left ?? [], asking)) await forget();
  }
}

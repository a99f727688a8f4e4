/** The requests of this instance at the service: each is made, read, started and withdrawn here. */
import { randomUUID } from 'node:crypto';
import { argumentsOf, textOf } from './arguments.ts';
import type { Asking } from './asking.ts';
import type { Approved, CallResult } from './calls.ts';
import type { Credentials } from './credentials.ts';
import { NotApproved, Unavailable } from './errors.ts';
import { callService, Refusal, type Limits, type ServiceCall } from './http.ts';
import { withdrawLimits } from './limits.ts';
import { startRefused, startUnknown, understandable } from './outcomes.ts';
import { bodyOf, readRequest, readStart, type Request } from './request.ts';

const WAIT_MS = 25_000;
/** As the service takes it. */
const LONGEST_DETAIL = 2_000;

/** Whole ones, as the service waits. One is kept for the way. */
const secondsUntil = (until: number): number => Math.floor((until - performance.now()) / 1_000) - 1;

/** Without the half of a character that a cut may leave. */
const cut = (detail: string): string =>
  detail.slice(0, LONGEST_DETAIL).replace(/[\ud800-\udbff]$/, '');

/** Who reads, and of which call, where it is known. */
interface Reading extends Partial<Omit<Asking, 'token' | 'limits'>> {
  readonly token: string;
  readonly limits: Limits;
}

export class Requests {
  constructor(
    private readonly credentials: Credentials,
    /** Of one start. Its own by default, so that only a repeat after a lost response gets the same success. */
    private readonly startKeyOf: (id: string) => string | Promise<string> = () => randomUUID(),
  ) {}

  async create({ sent, key, token, limits, parking }: Asking): Promise<Request> {
    const body = bodyOf(sent, { resume: parking !== undefined });
    const text = await this.#call(
      {
        ...{ method: 'POST', path: '/requests', token, body, idempotencyKey: key },
        expects: [200, 201],
      },
      limits,
    );
    return readRequest(text, sent);
  }

  /** Of a call that was parked. Undefined where it is another instance's by now. */
  async parked(id: string, asking: Asking): Promise<Request | undefined> {
    return await this.read(id, asking).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    });
  }

  async read(id: string, { token, limits, sent }: Reading, waitMs = 0): Promise<Request> {
    const query = waitMs === 0 ? '' : `?wait=${String(waitMs / 1_000)}s`;
    const path = `/requests/${id}${query}`;
    const request = readRequest(
      await this.#call({ method: 'GET', path, token, waitMs }, limits),
      sent,
    );
    if (request.id !== id)
      throw new Unavailable('invalid_response', 'The response is of another request.');
    return request;
  }

  /** Until it has an outcome. A call that parks waits no longer than its limit. */
  async wait(request: Request, reading: Reading): Promise<Request> {
    let current = request;
    while (current.status === 'pending') {
      const ms = reading.parking ? secondsUntil(reading.limits.until) * 1_000 : WAIT_MS;
      if (ms <= 0) break;
      current = await this.read(request.id, reading, Math.min(WAIT_MS, ms));
    }
    return current;
  }

  async start(request: Request, { token, limits }: Reading): Promise<Approved> {
    const { id, status, note, tool, server } = request;
    if (status !== 'approved')
      throw new NotApproved(status === 'pending' ? 'cancelled' : status, note, id);
    const path = `/requests/${id}/start`;
    const idempotencyKey = await this.startKeyOf(id);
    const start = { method: 'POST', path, token, idempotencyKey } as const;
    const text = await this.#call(start, limits).catch(async (error: unknown) => {
      if (error instanceof Refusal) throw startRefused(error, id) ?? understandable(error);
      await this.#reportUnused(id, start, limits);
      throw startUnknown(error);
    });
    return {
      ...{ id, tool, startedAt: readStart(text, request) },
      ...(server !== undefined && { server }),
      ...(note !== undefined && { note }),
      arguments: argumentsOf(request.arguments),
      argumentsText: request.arguments,
    };
  }

  /**
   * A start without a response may be on record, but the call does not run. Only a response to the same start says that it is not
   * another caller's.
   */
  async #reportUnused(id: string, start: ServiceCall, given: Limits): Promise<void> {
    const limits = withdrawLimits(given);
    const isOurs = await this.#call(start, limits).then(
      () => true,
      () => false,
    );
    if (isOurs) await this.report(id, { outcome: 'not_run' }, { token: start.token, limits });
  }

  /** True when the request is cancelled now. False when it had an outcome before. */
  async withdraw(path: string, limits: Limits, token?: string): Promise<boolean> {
    const as = token ?? (await this.token(0, limits));
    try {
      await this.#call({ method: 'DELETE', path, token: as }, limits);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'already_terminal') return false;
      throw understandable(error);
    }
  }

  /** Never throws: what came of a call is the same, whether it is on record or not. Older services have no place for it. */
  async report(id: string, result: CallResult, { token, limits }: Reading): Promise<void> {
    const { outcome, detail, argumentsDigest } = result;
    const body = JSON.stringify({
      outcome,
      ...(detail && { detail: cut(detail) }),
      ...(argumentsDigest && { arguments_digest: argumentsDigest }),
    });
    const call = { method: 'POST', path: `/requests/${id}/result`, token, body } as const;
    await this.#call({ ...call, expects: [204] }, limits).catch(() => undefined);
  }

  async reportTools(report: Readonly<Record<string, unknown>>, limits: Limits): Promise<void> {
    const token = await this.token(0, limits);
    const body = textOf(report, 'report');
    await this.#call({ method: 'PUT', path: '/tool_catalog', token, body }, limits);
  }

  /** A token that works at least `ms` longer. */
  async token(ms: number, limits: Limits): Promise<string> {
    return await this.credentials.token(ms, limits).catch((error: unknown) => {
      throw understandable(error);
    });
  }

  async #call(call: ServiceCall, limits: Limits): Promise<string> {
    return await callService(this.credentials.url, call, limits);
  }
}

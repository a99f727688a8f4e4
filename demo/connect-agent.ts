/** An adapter that survives restarts, as docs/guides/connecting-agents.md shows it. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface Replica {
  readonly url: string;
  /** The `whp_` token of the fleet. */
  readonly provisioner: string;
  /** The same after each restart, and no other replica's. */
  readonly name: string;
  /** Where its credential is kept. */
  readonly file: string;
}

export interface ToolCall {
  /** Stored with the call before it is asked about, so that a restart finds it. */
  readonly key: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeout: string;
}

export interface Service {
  readonly url: string;
  /** The `whc_` token of the instance. */
  readonly token: string;
  /** Aborted when the call is not wanted any more. A process that only restarts does not abort it. */
  readonly signal?: AbortSignal | undefined;
  /** How long to go on without an answer. Default: the timeout of the call, and a minute. */
  readonly patienceMs?: number;
}

export interface Approval {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';
  readonly decision?: { readonly note?: string; readonly expires_at?: string };
}

/** No answer came in time. Nothing may run. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Below what gateways allow: the shortest usual limit is 29 s. */
const WAIT = '25s';
/** One try, with its `wait`. A connection that died would otherwise be waited for. */
const TRY_MS = 40_000;
const PROVISION_MS = 5 * 60_000;
const WITHDRAW_MS = 10_000;

interface Limits {
  /** `performance.now()` at which nothing is tried any more. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats a call until the service has answered it for good. */
async function call(url: string, init: RequestInit, { until, signal }: Limits): Promise<unknown> {
  for (let pause = 500; ; pause = Math.min(2 * pause, 10_000)) {
    signal?.throwIfAborted();
    const left = until - performance.now();
    if (left <= 0) throw new NoAnswer(`${url} did not answer in time`);
    const limit = AbortSignal.timeout(Math.min(TRY_MS, Math.ceil(left)));
    const stop = signal ? AbortSignal.any([signal, limit]) : limit;
    const answer = await attempt(url, { ...init, signal: stop });
    if (answer && isFinal(answer.status)) return read(url, answer);
    const wanted = Math.max(pause, answer?.retryAfterMs ?? 0);
    const rest = Math.max(0, Math.min(wanted, until - performance.now()));
    await delay(rest, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

/** A wrong address stays wrong, however often it is tried. */
function requireAddress(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error(`${url} is no http or https URL`);
}

const isFinal = (status: number): boolean => status !== 429 && status < 500;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly retryAfterMs: number;
}

/** A redirect or a page means that this is not the address of the service. */
function read(url: string, { status, type, text }: Answer): unknown {
  if (status >= 200 && status < 300 && type.includes('json')) return JSON.parse(text) as unknown;
  throw new Error(`${url} answers ${status}: ${text.slice(0, 500)}`);
}

/** Undefined when no whole answer came. */
async function attempt(url: string, init: RequestInit): Promise<Answer | undefined> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const { status, headers } = answer;
    const retryAfterMs = (Number(headers.get('retry-after') ?? 0) || 0) * 1_000;
    const type = headers.get('content-type') ?? '';
    return { status, type, text: await answer.text(), retryAfterMs };
  } catch {
    return undefined;
  }
}

/** The stored credential. Without one, the replica gets an instance with a credential. */
export async function credentialOf({ url, provisioner, name, file }: Replica): Promise<string> {
  const stored = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (stored !== '') return stored;
  requireAddress(url);
  const body = JSON.stringify({ instance_metadata: { replica: name } });
  const headers = {
    authorization: `Bearer ${provisioner}`,
    'content-type': 'application/json',
    'idempotency-key': name, // a restart before the next lines gets the same token
  };
  const made = (await call(
    `${url}/api/aap/v1/instances`,
    { method: 'POST', headers, body },
    { until: performance.now() + PROVISION_MS },
  )) as { readonly credential: { readonly token: string } };
  const { token } = made.credential;
  await writeFile(`${file}.new`, token, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return token;
}

/**
 * Asks, then waits for the answer. Called again with the same key, it goes on with the same request.
 * Aborting it, or no answer in time, withdraws the request: no one is asked about a call that will not run.
 */
export async function approvalOf(service: Service, toolCall: ToolCall): Promise<Approval> {
  const { url, token, signal, patienceMs = msOf(toolCall.timeout) + 60_000 } = service;
  requireAddress(url);
  const limits = { signal, until: performance.now() + patienceMs };
  try {
    let request = await ask(service, toolCall, limits);
    while (request.status === 'pending') {
      const again = `${url}/api/aap/v1/requests/${request.id}?wait=${WAIT}`;
      request = (await call(again, { headers: bearer(token) }, limits)) as Approval;
    }
    return request;
  } catch (error) {
    if (signal?.aborted || error instanceof NoAnswer)
      await withdraw(service, toolCall).catch(() => undefined);
    throw error;
  }
}

async function ask({ url, token }: Service, toolCall: ToolCall, limits: Limits): Promise<Approval> {
  const { key, ...asked } = toolCall;
  const headers = {
    ...bearer(token),
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const init = { method: 'POST', headers, body: JSON.stringify(asked) };
  return (await call(`${url}/api/aap/v1/requests`, init, limits)) as Approval;
}

/** The call that was cut off may have made the request. Its key finds it, or makes it to be withdrawn. */
async function withdraw(service: Service, toolCall: ToolCall): Promise<void> {
  const { url, token } = service;
  const limits = { until: performance.now() + WITHDRAW_MS };
  const { id } = await ask(service, toolCall, limits);
  const init = { method: 'DELETE', headers: bearer(token) };
  await call(`${url}/api/aap/v1/requests/${id}`, init, limits);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

const msOf = (timeout: string): number =>
  (Number(timeout.slice(0, -1)) || 0) * (UNIT_MS[timeout.slice(-1)] ?? 0);

/** An approval counts until `expires_at`. After that, ask again under a new key. */
export function mayStart({ status, decision }: Approval): boolean {
  return status === 'approved' && Date.now() < Date.parse(decision?.expires_at ?? '');
}

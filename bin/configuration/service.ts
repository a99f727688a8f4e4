/** Calls of the service with an API key: exact JSON, no redirects, no repeats. */
import { isIP } from 'node:net';
import { describeFailure } from '../describe-failure.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { parseExact, stringifyExact } from '../../src/platform/json/exact-json.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../src/platform/json/exact-values.ts';

export interface ServiceResponse {
  readonly value: ExactObject;
  /** The revision that `If-Match` takes; undefined where there is none. */
  readonly etag: string | undefined;
  /** The clock of the service. */
  readonly date: Date;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
}

export interface RefusalIssue {
  readonly pointer: string;
  readonly message: string;
}

/** The service refused a call. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly RefusalIssue[];

  constructor(status: number, error: ExactObject) {
    super(refusalText(status, error));
    this.status = status;
    this.code = textOf(error['code']) ?? 'unknown';
    this.issues = issuesOf(error);
  }
}

export interface Service {
  readonly url: string;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<ServiceResponse>;
  /** All pages of a list. */
  readonly list: (path: string, member: string) => Promise<readonly ExactObject[]>;
}

const CALL_MS = 60_000;
const LONGEST_BODY = 64 * 1024 * 1024;
const PAGE = 200;

/** Throws OperatorError for an address that a key must not be sent to. */
export function openService({ url, key }: { readonly url: string; readonly key: string }): Service {
  const base = addressOf(url);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new OperatorError('The API key has characters that no key has.');
  const call: Service['call'] = async (method, path, { body, ifMatch } = {}) => {
    const response = await fetched(`${base}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(CALL_MS),
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: stringifyExact(body) }),
    });
    const value = await bodyOf(response, base);
    if (!response.ok) throw refusalOf(response.status, value, base);
    return {
      value: isExactObject(value) ? value : (Object.create(null) as ExactObject),
      etag: response.headers.get('etag') ?? undefined,
      date: new Date(response.headers.get('date') ?? Date.now()),
    };
  };
  return { url: base, call, list: (path, member) => listOf({ call, base }, path, member) };
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw new OperatorError(
      `${JSON.stringify(text)} is no address of a service. It must begin with https://.`,
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new OperatorError('The address of the service must have no user, query or fragment.');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new OperatorError(
      `${url.origin} would send the API key in clear text. Use https://; http:// is for this machine only.`,
    );
  // People copy the address of the API as often as that of the service.
  return url.href.replace(/\/+$/, '').replace(/\/api(?:\/v1)?$/, '');
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

async function fetched(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new OperatorError(`${new URL(url).origin} does not answer: ${describeFailure(error)}.`);
  }
}

async function bodyOf(response: Response, base: string): Promise<ExactValue> {
  const { status, headers } = response;
  if (status === 204) return null;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    throw new OperatorError(
      `${base} redirects (${String(status)}). The key is not sent elsewhere: use the address of the service itself.`,
    );
  }
  if (!/^application\/json\b/i.test(headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    throw new OperatorError(
      `${base} does not answer as Countersign does (status ${String(status)}).`,
    );
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await bytesOf(response));
    return parseExact(text, { spelled: true });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `${base} sent a broken body with status ${String(status)}: ${describeFailure(error)}.`,
    );
  }
}

async function bytesOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += (chunk as Uint8Array).length;
    if (length > LONGEST_BODY) throw new OperatorError('The response of the service is too long.');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}

async function listOf(
  { call, base }: { readonly call: Service['call']; readonly base: string },
  path: string,
  member: string,
): Promise<readonly ExactObject[]> {
  const found: ExactObject[] = [];
  let cursor: ExactValue | undefined;
  do {
    const mark = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const separator = path.includes('?') ? '&' : '?';
    const { value } = await call('GET', `${path}${separator}limit=${String(PAGE)}${mark}`);
    const items = value[member];
    // Taken for an empty list, it would have everything created.
    if (!Array.isArray(items))
      throw new OperatorError(`${base} does not answer as Countersign does (no ${member}).`);
    for (const item of items) if (isExactObject(item)) found.push(item);
    cursor = value['next_cursor'];
  } while (typeof cursor === 'string');
  return found;
}

const textOf = (value: ExactValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

function refusalOf(status: number, value: ExactValue, base: string): Refusal | OperatorError {
  const error = isExactObject(value) ? value['error'] : undefined;
  if (isExactObject(error)) return new Refusal(status, error);
  return new OperatorError(
    `${base} does not answer as Countersign does (status ${String(status)}).`,
  );
}

function issuesOf(error: ExactObject): readonly RefusalIssue[] {
  const { details } = error;
  const issues = isExactObject(details) ? details['issues'] : undefined;
  if (!Array.isArray(issues)) return [];
  return issues.filter(isExactObject).map(({ pointer, message }) => ({
    pointer: textOf(pointer) ?? '',
    message: textOf(message) ?? 'is refused',
  }));
}

/** With the permission that is missing, where one is. */
function refusalText(status: number, error: ExactObject): string {
  const { details, message, code } = error;
  const text = `${textOf(message) ?? 'refused'} (${String(status)} ${textOf(code) ?? 'unknown'})`;
  if (status === 401) return `The API key is not accepted: ${text}`;
  const permission = isExactObject(details) ? textOf(details['permission']) : undefined;
  if (status !== 403 || permission === undefined || !isExactObject(details)) return text;
  const scope = textOf(details['scope_id']) ?? textOf(details['scope_kind']) ?? 'organization';
  return `The API key lacks the permission ${permission} (${scope}): ${text}`;
}

/** Reads and validates one call's input: body, parameters, query, headers. Every refusal names the field. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { AppError, invalid } from '../../src/domain/errors.ts';
import { readBy } from '../../src/domain/issues.ts';
import { isStorable } from '../../src/domain/labels.ts';
import { JsonText, pointerToken } from '../../src/platform/json/exact-json.ts';
import { bulkhead } from '../../src/platform/bulkhead.ts';
import { createYielder } from '../../src/platform/event-loop.ts';
import type { WorkerPool } from '../../src/platform/threads/worker-pool.ts';
import { isLarge, isLargeLength } from '../../src/services/heavy-work.ts';
import { BACKGROUND_HEADER } from './authentication.ts';
import {
  ANY_REVISION,
  BODY_BYTES,
  takesBackground,
  type Endpoint,
  type SignedForm,
} from './endpoint.ts';
import { parseBody, type BodyRules } from './json-body.ts';
import { readLargeBody, rebuilt } from './large-body.ts';

/** Of a call: its headers, and its body as a stream. */
export interface Received extends Readable {
  readonly headers: IncomingHttpHeaders;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

interface BodyText {
  readonly type: typeof JSON_TYPE | typeof FORM_TYPE;
  /** In bytes. */
  readonly limit?: number | undefined;
}

/** The body as text. 415 unless of the type and without compression, 413 over `limit` bytes, 400 unless UTF-8. */
async function readBodyText(
  request: Received,
  { type, limit = BODY_BYTES.usual }: BodyText,
): Promise<string> {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (mediaType !== type) throw unsupported(`The body must be ${type}. Name that as Content-Type.`);
  if (charset && !/^charset="?utf-8"?$/.test(charset))
    throw unsupported(
      'The body must be UTF-8. Leave the charset out of Content-Type, or name utf-8.',
    );
  if (encoding.toLowerCase() !== 'identity')
    throw unsupported('A compressed body is not accepted. Send it without Content-Encoding.');
  const bytes = await getRawBody(request, {
    limit,
    length: request.headers['content-length'] ?? null,
  }).catch((error: unknown) => refuseRead(error, limit));
  try {
    return await decoded(bytes);
  } catch {
    throw invalid([{ pointer: '', code: 'malformed_json', message: 'the body is not UTF-8' }]);
  }
}

/** Decoding it takes about three milliseconds. */
const SLICE_BYTES = 1024 * 1024;

/** The text, decoded in turns. Throws unless it is UTF-8. */
async function decoded(bytes: Buffer): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const yieldIfDue = createYielder();
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true });
    await yieldIfDue();
  }
  return text + decoder.decode();
}

function unsupported(detail: string): AppError {
  return new AppError('unsupported_media_type', { detail });
}

function refuseRead(error: unknown, limit: number): never {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large')
    throw new AppError('payload_too_large', {
      detail: `The body is larger than ${limit / 1024} KiB.`,
    });
  throw invalid([
    { pointer: '', code: 'malformed_json', message: 'the body ended before its announced length' },
  ]);
}

interface ReadRules extends BodyRules {
  readonly body?: z.ZodType | undefined;
  readonly bodyOptional?: true | undefined;
}

interface Reader {
  readonly pool: WorkerPool;
  readonly onBehalfOf: string;
}

/** Bodies of many megabytes that are being read. Others stay in their connections meanwhile. */
const hugeBodies = bulkhead({ atOnce: 16, atOnceEach: 1, waiting: 256, waitingEach: 4 });

/**
 * The parsed body. A large one is read in the worker pool, on behalf of the credential. Throws
 * Overloaded.
 */
export async function readBody(
  request: Received,
  rules: ReadRules,
  reader: Reader,
): Promise<unknown> {
  const read = () => readAnyBody(request, rules, reader);
  const mayBeHuge = (rules.bodyLimit ?? 0) > BODY_BYTES.large;
  return mayBeHuge ? await hugeBodies(read, reader.onBehalfOf) : await read();
}

async function readAnyBody(
  request: Received,
  rules: ReadRules,
  { pool, onBehalfOf }: Reader,
): Promise<unknown> {
  const { bodyLimit, mostValues, exact, documents, verbatim, body: schema } = rules;
  if (rules.bodyOptional && isWithoutBody(request)) return {};
  const text = await readBodyText(request, { type: JSON_TYPE, limit: bodyLimit });
  if (rules.bodyOptional && text === '') return {};
  if (!isLarge([text]) || !(exact ?? documents)) {
    const parsed = parseBody(text, rules);
    // A document is stored as it was spelled, so its reader needs the text.
    return documents?.includes('') ? new JsonText(text) : parsed;
  }
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const large = { text, known, exact, documents, verbatim, mostValues };
  const read = await pool.run(readLargeBody, large, onBehalfOf);
  if ('issues' in read) throw invalid(read.issues);
  return rebuilt(read.outline, text);
}

/** Whether its body may be one that a thread reads. */
export function mayBeLarge({ headers }: Received): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || isLargeLength(Number(length ?? 0));
}

function isWithoutBody({ headers }: Received): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return encoding === undefined && length === '0';
}

/** For an operation without a body: an empty object counts as no body, anything else is a 400. */
export async function refuseBody(request: Received): Promise<void> {
  if (isWithoutBody(request)) return;
  const bytes = await getRawBody(request, {
    limit: BODY_BYTES.signIn,
    length: request.headers['content-length'] ?? null,
  }).catch(() => undefined);
  if (bytes?.length === 0) return;
  const body = bytes && objectIn(bytes.toString('utf8'));
  if (!body)
    throw invalid([
      {
        pointer: '',
        code: 'unexpected_body',
        message: 'must be empty: the operation takes no body',
      },
    ]);
  validate(z.strictObject({}), body, '');
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A form as received, with these headers. */
export async function readSignedForm(
  request: Received,
  { headers, limit }: { readonly headers: readonly string[]; readonly limit: number | undefined },
): Promise<SignedForm> {
  const given = headers.map((name) => [name, String(request.headers[name] ?? '')] as const);
  return {
    text: await readBodyText(request, { type: FORM_TYPE, limit }),
    headers: Object.fromEntries(given),
  };
}

/** Query parameters by name. A repeated one is refused. */
export function readQuery(
  search: string,
  repeatable: readonly string[] = [],
): Record<string, string | string[]> {
  const query = Object.create(null) as Record<string, string | string[]>;
  const sent = search.split('&').filter((pair) => pair !== '');
  for (const [index, [name, value]] of [...new URLSearchParams(search)].entries()) {
    const pointer = `/query/${pointerToken(name)}`;
    if (!isUtf8(bytesOf(sent[index] ?? '')))
      throw invalid([
        { pointer, code: 'invalid_string', message: 'must be UTF-8, percent-encoded' },
      ]);
    const given = query[name];
    if (given !== undefined && !Array.isArray(given))
      throw invalid([{ pointer, code: 'repeated_parameter', message: 'must be given only once' }]);
    if (!isStorable(name) || !isStorable(value))
      throw invalid([{ pointer, code: 'invalid_string', message: 'must not contain NUL' }]);
    query[name] = repeatable.includes(name) ? [...(given ?? []), value] : value;
  }
  return query;
}

/** Node returns the target with one character per byte. */
function bytesOf(encoded: string): Buffer {
  const byte = (_match: string, digits: string): string =>
    String.fromCharCode(parseInt(digits, 16));
  return Buffer.from(encoded.replaceAll(/%([0-9a-f]{2})/gi, byte), 'latin1');
}

/** Parses by the schema. Throws 400 with a pointer for each issue, under `prefix`. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix: string,
): z.output<S> {
  const read = readBy(schema, value, prefix);
  if (read.ok) return read.value;
  throw invalid(read.issues);
}

const IDEMPOTENCY_KEY_BYTES = 1_024;

/**
 * Any value of 1 to 1,024 bytes, or a 400. Empty without the header, where it is optional. Node gives
 * one character for each byte, so keys are equal when their bytes are. `shownKey` is its inverse.
 */
export function readIdempotencyKey(
  header: string | undefined,
  need: 'required' | 'optional',
): string {
  if (need === 'optional' && header === undefined) return '';
  if (need === 'required' && !header) throw new AppError('idempotency_key_required');
  if (!header || header.length > IDEMPOTENCY_KEY_BYTES) {
    throw invalid([
      {
        pointer: '/headers/idempotency-key',
        code: 'invalid_value',
        message: `must have 1 to ${IDEMPOTENCY_KEY_BYTES} bytes`,
      },
    ]);
  }
  return header;
}

/** A key as its caller wrote it: its bytes as UTF-8, or as Latin-1 where they are none. */
export function shownKey(key: string): string {
  const bytes = Buffer.from(key, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : key;
}

/** Whether the call is no use of its session. A value that is not `1` is a 400. */
export function readBackground(
  headers: IncomingHttpHeaders,
  endpoint: Pick<Endpoint, 'auth' | 'method'>,
): boolean {
  const sent = headers[BACKGROUND_HEADER];
  if (!takesBackground(endpoint) || sent === undefined) return false;
  if (sent === '1') return true;
  const pointer = `/headers/${BACKGROUND_HEADER}`;
  throw invalid([{ pointer, code: 'invalid_value', message: 'must be 1' }]);
}

/** The revision of `If-Match`: quoted or bare number; 0 means none is active. */
export function readIfMatch(
  header: string | undefined,
  need: 'required' | 'optional' | undefined,
): number {
  if (need === undefined || (need === 'optional' && header === undefined)) return ANY_REVISION;
  if (header === undefined || header === '') throw new AppError('if_match_required');
  const match = /^(?:"(0|[1-9][0-9]*)"|(0|[1-9][0-9]*))$/.exec(header);
  if (!match)
    throw invalid([
      {
        pointer: '/headers/if-match',
        code: 'invalid_value',
        message: 'must be one revision number, such as "3"',
      },
    ]);
  // No revision has a number beyond every safe integer, and none that large.
  return Math.min(Number(match[1] ?? match[2]), Number.MAX_SAFE_INTEGER);
}

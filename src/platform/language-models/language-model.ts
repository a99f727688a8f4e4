/**
 * A language model that responds to one question with one JSON value. It has no tools, and no memory of
 * other questions.
 */
import { ExactJsonError, parseExact } from '../json/exact-json.ts';
import { isExactObject, type ExactObject, type ExactValue } from '../json/exact-values.ts';
import { codesOf, connectionFault, type ConnectionFault } from '../network/connection-faults.ts';
import { callHttp, type HttpResponse } from '../network/http-call.ts';
import { retryAfterMs } from '../network/retry-after.ts';

export interface ModelQuestion {
  readonly model: string;
  /** The instruction. */
  readonly system: string;
  /** What the question is about. */
  readonly user: string;
  /** The JSON Schema of the response, an object. Providers try to keep it; the caller checks. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ModelResponse {
  readonly kind: 'responded';
  /** Undefined when the provider returned something else than one JSON value. */
  readonly value: ExactValue | undefined;
  /** The response as it came. */
  readonly text: string;
  /** What the provider counted. Undefined when it did not say. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

export interface ModelFailure {
  readonly kind: 'failed';
  readonly timedOut: boolean;
  /** Absent when no response came. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** A word of the provider or of the network, never a text. */
  readonly code?: string;
  /** Where no response came. */
  readonly errorCause?: ConnectionFault;
  /** How the provider names the call, for questions to its support. */
  readonly providerRequestId?: string;
  /** Certain that the model did not run. */
  readonly unheard: boolean;
}

export interface LanguageModel {
  /** Asks once. Rejects with the reason of `signal` when that ends the call. */
  ask(question: ModelQuestion): Promise<ModelResponse | ModelFailure>;
}

export interface LanguageModelOptions {
  /** Ends in one slash. */
  readonly url: string;
  readonly apiKey: string;
}

/** What differs between providers. */
interface Provider {
  /** Below the base URL. */
  readonly path: string;
  /** Besides those that every provider gets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestIdHeader: string;
  readonly bodyOf: (question: ModelQuestion) => object;
  /** Finds the response in the body of a successful call. */
  readonly read: (body: ExactObject) => Omit<ModelResponse, 'kind'>;
}

/** Cuts off what no response needs. */
const RESPONSE_BYTES = 256 * 1024;

/** Makes one call for a question, without retries and redirects. */
export function languageModel(
  { url, apiKey }: LanguageModelOptions,
  provider: Provider,
): LanguageModel {
  const target = new URL(provider.path, url);
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    // A key from a file may end in a line break, which no header can hold.
    authorization: `Bearer ${apiKey.trim()}`,
    'content-type': 'application/json',
    'user-agent': 'Countersign',
    ...provider.headers,
  };
  return {
    ask: async (question) => {
      const timer = AbortSignal.timeout(question.timeoutMs);
      const response = await callHttp(target, {
        ...{ method: 'POST', headers, body: JSON.stringify(provider.bodyOf(question)) },
        maxBytes: RESPONSE_BYTES,
        signal: AbortSignal.any([question.signal, timer]),
      }).catch((error: unknown) => {
        question.signal.throwIfAborted();
        return connectionFailure(error, timer.aborted);
      });
      return 'kind' in response ? response : resultOf(response, provider);
    },
  };
}

function resultOf(
  { status, headers, body }: HttpResponse,
  { read, requestIdHeader }: Provider,
): ModelResponse | ModelFailure {
  const text = new TextDecoder().decode(body);
  const value = parsed(text);
  if (status < 200 || status > 299)
    return refusal(status, value, {
      retryAfter: headers['retry-after'],
      requestId: headers[requestIdHeader],
    });
  return isExactObject(value)
    ? { kind: 'responded', ...read(value) }
    : { kind: 'responded', value: undefined, text, usage: undefined };
}

/** Undefined for text that is not one JSON value with distinct keys. */
export function parsed(text: string): ExactValue | undefined {
  try {
    return parseExact(text);
  } catch (error) {
    if (error instanceof ExactJsonError) return undefined;
    throw error;
  }
}

/** Undefined unless both are counts: a provider that miscounts must not change a budget. */
export function usageOf(input: unknown, output: unknown): ModelResponse['usage'] {
  return isCount(input) && isCount(output)
    ? { inputTokens: input, outputTokens: output }
    : undefined;
}

const MOST_TOKENS = 100_000_000;

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKENS;

/** Nothing of the call reached the provider. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'ERR_INVALID_CHAR',
]);

function connectionFailure(error: unknown, timedOut: boolean): ModelFailure {
  const codes = codesOf(error);
  const unheard = codes.some((each) => UNSENT.has(each));
  const errorCause = timedOut ? 'timeout' : connectionFault(error);
  return {
    ...{ kind: 'failed', timedOut, unheard },
    ...(codes[0] && { code: codes[0] }),
    ...(errorCause && { errorCause }),
  };
}

/** Providers describe a refusal in the same form. */
function refusal(
  status: number,
  body: ExactValue | undefined,
  { retryAfter, requestId }: { readonly retryAfter: unknown; readonly requestId: unknown },
): ModelFailure {
  const error = isExactObject(body) && isExactObject(body['error']) ? body['error'] : {};
  const word = [error['code'], error['type']].find((each) => matches(each, WORD));
  const pauseMs = retryAfterMs(retryAfter);
  return {
    ...{ kind: 'failed', timedOut: false, status },
    ...(pauseMs !== undefined && { retryAfterMs: pauseMs }),
    ...(word && { code: word }),
    ...(matches(requestId, REQUEST_ID) && { providerRequestId: requestId }),
    unheard: status < 500,
  };
}

/** Too narrow for a text or a key: providers repeat parts of both in their errors. */
const WORD = /^[a-z_]{1,64}$/;
const REQUEST_ID = /^[\w-]{1,64}$/;

const matches = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

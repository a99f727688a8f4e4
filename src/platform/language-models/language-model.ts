/**
 * A language model that responds to one question with one JSON value. It has no tools, and no memory of
 * other questions.
 */
import { ExactJsonError, parseExact } from '../json/exact-json.ts';
import { isExactObject, type ExactObject, type ExactValue } from '../json/exact-values.ts';
import { codesOf, connectionFault, type ConnectionFault } from '../network/connection-faults.ts';
import { fetchAtMost } from '../network/http-call.ts';
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

/** How to ask a provider through its client. */
interface Provider<Client> {
  /** Called at the first question: most deployments ask none, and clients take long to load. */
  readonly connect: () => Promise<Client>;
  /** Resolves with the body of a successful response. */
  readonly call: (
    client: Client,
    question: ModelQuestion,
    options: { readonly signal: AbortSignal; readonly timeout: number },
  ) => Promise<string>;
  /** Finds the response in a body. */
  readonly read: (body: ExactObject) => Omit<ModelResponse, 'kind'>;
}

/** The time limit of the clients comes after ours, which knows what ended the call. */
const GRACE_MS = 1_000;

/** Turns calls into responses and failures. */
export function languageModel<Client>({ connect, call, read }: Provider<Client>): LanguageModel {
  let connected: Promise<Client> | undefined;
  return {
    ask: async (question) => {
      connected ??= connect();
      const client = await connected;
      const timer = AbortSignal.timeout(question.timeoutMs);
      const signal = AbortSignal.any([question.signal, timer]);
      try {
        const timeout = question.timeoutMs + GRACE_MS;
        const text = await call(client, question, { signal, timeout });
        const body = parsed(text);
        return isExactObject(body)
          ? { kind: 'responded', ...read(body) }
          : { kind: 'responded', value: undefined, text, usage: undefined };
      } catch (error) {
        question.signal.throwIfAborted();
        return failureOf(error, timer.aborted);
      }
    },
  };
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

/** The call did not reach the provider. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECT_TIMEOUT']);

/** The clients of the providers throw errors of the same form. */
function failureOf(error: unknown, timedOut: boolean): ModelFailure {
  const { status, headers, code, type, requestID } = error as Readonly<Record<string, unknown>>;
  if (typeof status !== 'number') {
    const codes = codesOf(error);
    const unheard = codes.some((each) => UNSENT.has(each));
    const errorCause = timedOut ? 'timeout' : connectionFault(error);
    return {
      ...{ kind: 'failed', timedOut, unheard },
      ...(codes[0] && { code: codes[0] }),
      ...(errorCause && { errorCause }),
    };
  }
  const pauseMs = headers instanceof Headers ? retryAfterMs(headers.get('retry-after')) : undefined;
  const word = [code, type].find((each) => matches(each, WORD));
  return {
    kind: 'failed',
    timedOut: false,
    status,
    ...(pauseMs !== undefined && { retryAfterMs: pauseMs }),
    ...(word && { code: word }),
    ...(matches(requestID, REQUEST_ID) && { providerRequestId: requestID }),
    unheard: status < 500,
  };
}

/** Too narrow for a text or a key: providers repeat parts of both in their errors. */
const WORD = /^[a-z_]{1,64}$/;
const REQUEST_ID = /^[\w-]{1,64}$/;

const matches = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

const RESPONSE_BYTES = 256 * 1024;

/** Cuts off what no response needs. */
export const fetchLimited = fetchAtMost(RESPONSE_BYTES);

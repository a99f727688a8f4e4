/**
 * Answers one call of a declared endpoint: authenticates, checks the permission and the input, calls the handler, and
 * checks and prints its reply.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { z } from 'zod';
import { AppError, type ErrorCode } from '../../src/domain/errors.ts';
import { callerIdOf, type Principal } from '../../src/domain/people/authorization.ts';
import { networkOf } from '../../src/platform/network/client-address.ts';
import type { ServiceContext } from '../../src/services/context.ts';
import { authenticate } from '../../src/services/sign-in/authentication.ts';
import { admitFromNetwork } from '../../src/services/access/sign-in-attempts.ts';
import { answerIssues, printBody, type PrintedBody } from './answers.ts';
import {
  admit,
  presentedCredential,
  refuseCrossSite,
  refuseForeignPage,
  sessionCookie,
  ssoCookies,
} from './authentication.ts';
import {
  declaredAnswer,
  type AnyCall,
  type Endpoint,
  type Reply,
  type SignedForm,
} from './endpoint.ts';
import {
  mayBeLarge,
  readBackground,
  readBody,
  readIdempotencyKey,
  readIfMatch,
  readQuery,
  readSignedForm,
  refuseBody,
  validate,
} from './input.ts';
import { asAppError } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';

/** What every call of an endpoint needs. */
export interface EndpointContext {
  readonly endpoint: Endpoint;
  /** Every error code that a response of the endpoint may have. */
  readonly declaredErrors: ReadonlySet<ErrorCode>;
  readonly context: ServiceContext;
  readonly strictAnswers: boolean;
  readonly limit: RateLimit;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly publicUrlConfigured: boolean;
}

/** A client that reads nothing of a long answer for this long, or twice as long, is disconnected. */
const UNREAD_MS = 120_000;

/** A body that was complete later than this after the credential was read is no proof that it still holds. */
const PROVEN_MS = 1_000;

const NO_PARAMETERS = z.strictObject({});
const NO_FORM = { text: '', headers: {} };

/** What a caller sent. */
interface CallSource {
  readonly req: IncomingMessage;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
  readonly method: string;
  /** As they stand in the path. */
  readonly params: unknown;
  readonly querystring: string;
}

interface CallResult {
  readonly status: number;
  readonly headers: NonNullable<Reply['headers']>;
  /** Absent for a response without a body. */
  readonly printed?: PrintedBody;
}

/** Writes the response to the call on `ctx`. Throws what the envelope turns into an error response. */
export async function handleCall(ctx: Context, endpointContext: EndpointContext): Promise<void> {
  const { req, res, method, querystring } = ctx;
  const params = ctx['params'] as unknown;
  const source = { req, signal: hangUp(res), method, querystring, params };
  const { status, headers, printed } = await execute(source, endpointContext);
  // Otherwise Koa would answer the words of the status. An empty body makes it a 204.
  if (!printed) ctx.body = null;
  ctx.status = status;
  for (const [name, value] of Object.entries(headers))
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  if (!printed) return;
  ctx.type = 'application/json';
  ctx.body = printed.body;
  if (printed.length !== undefined) ctx.length = printed.length;
  // A client that stops reading must not keep what it was about to get.
  if (typeof printed.body !== 'string') res.setTimeout(UNREAD_MS);
}

async function execute(source: CallSource, endpointContext: EndpointContext): Promise<CallResult> {
  const { endpoint } = endpointContext;
  const { reply, caller } = await runHandler(source, endpointContext).catch((thrown: unknown) => {
    const error = asAppError(thrown);
    checkError(endpointContext, error.code);
    throw error;
  });
  const statuses = [endpoint.success.status].flat();
  const status = reply.status ?? statuses[0] ?? 200;
  const headers = reply.headers ?? {};
  await checkResponse(endpointContext, { reply, status, statuses });
  if (reply.body === undefined) return { status, headers };
  const printed = await printBody(reply.body, {
    schema: declaredAnswer(endpoint, status).body,
    caller,
    report: (issues) => {
      reportDifference(endpointContext, { status, issues });
    },
  });
  return { status, headers, printed };
}

async function runHandler(source: CallSource, endpointContext: EndpointContext) {
  const call = await readCall(source, endpointContext);
  const reply = await endpointContext.endpoint.handler(call, endpointContext.context);
  return { reply, caller: call.principal && callerIdOf(call.principal) };
}

/**
 * Credential first, permission second, input third, so that unauthorized callers learn nothing
 * about the input.
 */
async function readCall(
  { req, signal, method, params: given, querystring }: CallSource,
  { endpoint, context, limit, clientAddress, publicUrlConfigured }: EndpointContext,
): Promise<AnyCall> {
  const { headers } = req;
  const params = endpoint.params?.safeParse(given);
  const resolve = async ({ counted }: { counted: boolean }) => {
    const { origin } = new URL(context.publicUrl());
    const ours = { origin, configured: publicUrlConfigured };
    if (endpoint.auth === 'none') {
      refuseForeignPage(method, headers, ours);
      return undefined;
    }
    const presented = presentedCredential(headers, endpoint);
    if (presented?.kind === 'session') refuseCrossSite(method, headers, ours);
    const principal = await authenticate(context, presented);
    if (counted) await limit(principal, endpoint);
    if (endpoint.edition === 'hosted' && context.edition !== 'hosted')
      throw new AppError('not_found');
    const target = endpoint.permissionAt?.(params?.data ?? given) ?? {
      kind: 'organization',
    };
    admit(principal, { ...endpoint, target });
    if (endpoint.needsSecretsKey && !context.secrets) throw new AppError('secrets_key_missing');
    return principal;
  };
  const before = await resolve({ counted: true });
  const provenAt = performance.now();
  if (before) refuseOverspent({ endpoint, context }, req, before);
  const address = clientAddress(req);
  if (endpoint.signInAttempt) await admitFromNetwork(context, address);
  const input = {
    background: readBackground(headers, endpoint),
    query: validate(endpoint.query ?? NO_PARAMETERS, readQuery(querystring), '/query'),
    params: named(params),
    idempotencyKey: endpoint.headers?.idempotencyKey
      ? readIdempotencyKey(
          headers['idempotency-key'] as string | undefined,
          endpoint.headers.idempotencyKey,
        )
      : '',
    ifMatch: endpoint.headers?.ifMatch ? readIfMatch(headers['if-match']) : 0,
    body: await readBodyOf(endpoint, req, {
      pool: context.workerPool,
      onBehalfOf: before ? callerIdOf(before) : networkOf(address),
    }),
    signedForm: await readFormOf(endpoint, req),
    cookies: { session: sessionCookie(headers), sso: ssoCookies(headers) },
    client: {
      address,
      userAgent: (headers['user-agent'] ?? '').slice(0, 300),
    },
    signal,
    authenticateAgain: () => resolve({ counted: false }),
  };
  const isProven = performance.now() - provenAt <= PROVEN_MS;
  return { ...input, principal: isProven ? before : await resolve({ counted: false }) };
}

/** Refuses a call that could need threads, of a caller or an organization whose minute of them is used up. */
function refuseOverspent(
  { endpoint, context }: Pick<EndpointContext, 'endpoint' | 'context'>,
  request: IncomingMessage,
  principal: Principal,
): void {
  const { isHeavy, documents, exact } = endpoint;
  if (!isHeavy && !documents && !(exact && mayBeLarge(request))) return;
  const { time } = context.workerPool;
  const seconds = time.secondsToWait(callerIdOf(principal), principal.organizationId);
  if (seconds !== undefined) throw new AppError('rate_limited', { retryAfterSeconds: seconds });
}

/** GET and DELETE have no body, so none is read. */
async function readBodyOf(
  endpoint: Endpoint,
  request: IncomingMessage,
  reader: Parameters<typeof readBody>[2],
): Promise<unknown> {
  if (endpoint.body) return validate(endpoint.body, await readBody(request, endpoint, reader), '');
  if (endpoint.method !== 'get' && endpoint.method !== 'delete' && !endpoint.signedForm)
    await refuseBody(request);
  return undefined;
}

async function readFormOf(
  { signedForm, bodyLimit }: Endpoint,
  request: IncomingMessage,
): Promise<SignedForm> {
  if (!signedForm) return NO_FORM;
  return await readSignedForm(request, { headers: signedForm.headers, limit: bodyLimit });
}

/** A path that cannot name anything is 404, not 400. */
function named(params: z.ZodSafeParseResult<unknown> | undefined): unknown {
  if (params?.success === false) throw new AppError('not_found');
  return params?.data;
}

/** Aborted when the client of the response hangs up. */
function hangUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    controller.abort();
  });
  return controller.signal;
}

async function checkResponse(
  { endpoint, context, strictAnswers }: EndpointContext,
  { reply, status, statuses }: { reply: Reply; status: number; statuses: number[] },
): Promise<void> {
  const { body } = declaredAnswer(endpoint, status);
  const issues = body && (await answerIssues(body, reply.body));
  const bodyFits = issues ? issues.length === 0 : reply.body === undefined;
  if (bodyFits && statuses.includes(status)) return;
  reportDifference({ endpoint, context, strictAnswers }, { status, issues });
}

/** Clients can rely on the declared codes only when no other code is ever answered. */
function checkError(endpointContext: EndpointContext, code: ErrorCode): void {
  if (!endpointContext.declaredErrors.has(code))
    reportDifference(endpointContext, { undeclaredError: code });
}

function reportDifference(
  {
    endpoint,
    context,
    strictAnswers,
  }: Pick<EndpointContext, 'endpoint' | 'context' | 'strictAnswers'>,
  difference: Readonly<Record<string, unknown>>,
): void {
  const internal = { operationId: endpoint.operationId, ...difference };
  if (strictAnswers)
    throw new AppError('internal_error', { internal, cause: new Error(JSON.stringify(internal)) });
  context.logger.error(internal, 'a response differs from its declaration');
}

/**
 * Handles one call of a declared endpoint: authenticates, checks the permission and the input, calls the handler, and
 * checks and prints its reply.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { z } from 'zod';
import { AppError, type ErrorCode } from '../../src/domain/errors.ts';
import { callerIdOf, type Principal } from '../../src/domain/people/authorization.ts';
import { networkOf } from '../../src/platform/network/client-address.ts';
import type { AppContext } from '../../src/services/context.ts';
import { authenticate } from '../../src/services/sign-in/authentication.ts';
import {
  countNetworkAttempt,
  countOAuthAttempt,
  type OAuthCaller,
} from '../../src/services/access/sign-in-attempts.ts';
import { responseIssues, printBody, streamed, type PrintedBody } from './responses.ts';
import {
  requireAccess,
  foreignPage,
  presentedCredential,
  refuseBoundKey,
  refuseCrossSite,
  refuseForeignPage,
  refuseOtherPerson,
  refuseOtherSites,
  sessionCookie,
  ssoCookies,
} from './authentication.ts';
import {
  declaredResponse,
  type AnyCall,
  type Endpoint,
  type InnerCall,
  type InnerResponse,
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
  type Received,
} from './input.ts';
import { asAppError } from './problems/problem.ts';
import type { RateLimit } from './rate-limit.ts';

/** What every call of an endpoint needs. */
export interface EndpointContext {
  readonly endpoint: Endpoint;
  /** Every error code that a response of the endpoint may have. */
  readonly declaredErrors: ReadonlySet<ErrorCode>;
  readonly context: AppContext;
  readonly strictResponses: boolean;
  readonly limit: RateLimit;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly publicUrlConfigured: boolean;
  /** Calls another endpoint on behalf of this caller. */
  readonly perform: (caller: CallSource, call: InnerCall) => Promise<InnerResponse>;
}

/** A client that reads nothing of a long response for this long, or twice as long, is disconnected. */
const UNREAD_MS = 120_000;

/** A body that was complete later than this after the credential was read is no proof that it still holds. */
const PROVEN_MS = 1_000;

const countAttempt = {
  sign_in: async (context: AppContext, { address }: OAuthCaller) => {
    await countNetworkAttempt(context, address);
  },
  oauth: countOAuthAttempt,
} as const;

const NO_PARAMETERS = z.strictObject({});
const NO_FORM = { text: '', headers: {} };

/** What a caller sent. */
export interface CallSource {
  readonly req: Received;
  readonly requestId: string;
  /** The address of the client. */
  readonly address: string;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
  readonly method: string;
  /** As they stand in the path. */
  readonly params: unknown;
  readonly querystring: string;
}

export interface CallResult {
  readonly status: number;
  readonly headers: NonNullable<Reply['headers']>;
  /** Absent for a response without a body. */
  readonly printed?: PrintedBody;
}

/** Writes the response to the call on `ctx`. Throws what the envelope turns into an error response. */
export async function handleCall(ctx: Context, endpointContext: EndpointContext): Promise<void> {
  const { req, res, method, querystring } = ctx;
  const source = {
    req,
    requestId: String(ctx.state['requestId']),
    address: endpointContext.clientAddress(req),
    signal: hangUp(res),
    method,
    querystring,
    params: ctx['params'] as unknown,
  };
  const { status, headers, printed } = await execute(source, endpointContext);
  // Otherwise Koa would send the words of the status. An empty body makes it a 204.
  if (!printed) ctx.body = null;
  ctx.status = status;
  for (const [name, value] of Object.entries(headers))
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  if (!printed) return;
  ctx.type = printed.type ?? 'application/json';
  ctx.body = printed.body;
  if (printed.length !== undefined) ctx.length = printed.length;
  // A client that stops reading must not keep what it was about to get.
  if (typeof printed.body !== 'string') res.setTimeout(UNREAD_MS);
}

export async function execute(
  source: CallSource,
  endpointContext: EndpointContext,
): Promise<CallResult> {
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
  if (reply.stream) {
    const { type, chunks } = reply.stream;
    return { status, headers, printed: { type, body: await streamed(chunks, caller) } };
  }
  if (reply.body === undefined) return { status, headers };
  const printed = await printBody(reply.body, {
    schema: declaredResponse(endpoint, status).body,
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
async function readCall(source: CallSource, endpointContext: EndpointContext): Promise<AnyCall> {
  const { req, signal, method, params: given, querystring, address } = source;
  const { endpoint, context, limit, publicUrlConfigured, perform } = endpointContext;
  const { headers } = req;
  const params = endpoint.params?.safeParse(given);
  const ours = { origin: new URL(context.publicUrl()).origin, configured: publicUrlConfigured };
  const resolve = async ({ counted }: { counted: boolean }) => {
    if (endpoint.auth === 'none') {
      if (!endpoint.anyOrigin) refuseForeignPage(method, headers, ours);
      return undefined;
    }
    if (endpoint.auth === 'personal_key') refuseOtherSites(headers, ours);
    const presented = presentedCredential(headers, endpoint);
    if (presented?.kind === 'session') refuseCrossSite(method, headers, ours);
    const principal = await authenticate(context, presented);
    refuseBoundKey(principal, endpoint);
    refuseOtherPerson(principal, headers, endpoint);
    if (counted) limit(principal, endpoint);
    if (endpoint.edition === 'hosted' && context.edition !== 'hosted')
      throw new AppError('not_found');
    const target = endpoint.permissionAt?.(params?.data ?? given) ?? { kind: 'organization' };
    requireAccess(principal, { ...endpoint, target });
    if (endpoint.needsSecretsKey && !context.secrets) throw new AppError('secrets_key_missing');
    return principal;
  };
  const before = await resolve({ counted: true });
  const provenAt = performance.now();
  if (before) refuseOverspent({ endpoint, context }, req, before);
  if (before && params?.success !== false)
    await endpoint.admit?.({ principal: before, params: params?.data }, context);
  const client = { address, page: foreignPage(headers, ours) };
  if (endpoint.attempt) await countAttempt[endpoint.attempt](context, client);
  const input = {
    background: readBackground(headers, endpoint),
    query: readQueryOf(endpoint, querystring),
    params: named(params),
    idempotencyKey: endpoint.headers?.idempotencyKey
      ? readIdempotencyKey(
          headers['idempotency-key'] as string | undefined,
          endpoint.headers.idempotencyKey,
        )
      : '',
    ifMatch: readIfMatch(headers['if-match'], endpoint.headers?.ifMatch),
    body: await readBodyOf(endpoint, req, {
      pool: context.workerPool,
      onBehalfOf: before ? callerIdOf(before) : networkOf(client.address),
    }),
    signedForm: await readFormOf(endpoint, req),
    cookies: { session: sessionCookie(headers), sso: ssoCookies(headers) },
    client: { ...client, userAgent: (headers['user-agent'] ?? '').slice(0, 300) },
    isPage: (headers.accept ?? '').includes('text/html'),
    readHeaders: readHeadersOf(endpoint, req),
    signal,
    perform: (call: InnerCall) => perform(source, call),
    authenticateAgain: () => resolve({ counted: false }),
  };
  const isProven = performance.now() - provenAt <= PROVEN_MS;
  return { ...input, principal: isProven ? before : await resolve({ counted: false }) };
}

/** Refuses a call that could need threads, of a caller or an organization whose minute of them is used up. */
function refuseOverspent(
  { endpoint, context }: Pick<EndpointContext, 'endpoint' | 'context'>,
  request: Received,
  principal: Principal,
): void {
  const { isHeavy, documents, exact } = endpoint;
  if (!isHeavy && !documents && !(exact && mayBeLarge(request))) return;
  const { time } = context.workerPool;
  const seconds = time.secondsToWait(callerIdOf(principal), principal.organizationId);
  if (seconds !== undefined) throw new AppError('rate_limited', { retryAfterSeconds: seconds });
}

function readHeadersOf({ readHeaders = [] }: Endpoint, { headers }: Received) {
  const given = readHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

function readQueryOf({ query = NO_PARAMETERS, repeatable }: Endpoint, search: string): unknown {
  return validate(query, readQuery(search, repeatable), '/query');
}

/** GET and DELETE have no body, so none is read. */
async function readBodyOf(
  endpoint: Endpoint,
  request: Received,
  reader: Parameters<typeof readBody>[2],
): Promise<unknown> {
  if (endpoint.body) return validate(endpoint.body, await readBody(request, endpoint, reader), '');
  if (endpoint.method !== 'get' && endpoint.method !== 'delete' && !endpoint.signedForm)
    await refuseBody(request);
  return undefined;
}

async function readFormOf(
  { signedForm, bodyLimit }: Endpoint,
  request: Received,
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
  { endpoint, context, strictResponses }: EndpointContext,
  { reply, status, statuses }: { reply: Reply; status: number; statuses: number[] },
): Promise<void> {
  const { body, streams } = declaredResponse(endpoint, status);
  if (reply.stream && streams && reply.stream.type in streams) return;
  const issues = body && (await responseIssues(body, reply.body));
  const bodyFits = issues ? issues.length === 0 : reply.body === undefined;
  if (bodyFits && statuses.includes(status)) return;
  reportDifference({ endpoint, context, strictResponses }, { status, issues });
}

/** Clients can rely on the declared codes only when no other code is ever returned. */
function checkError(endpointContext: EndpointContext, code: ErrorCode): void {
  if (!endpointContext.declaredErrors.has(code))
    reportDifference(endpointContext, { undeclaredError: code });
}

function reportDifference(
  {
    endpoint,
    context,
    strictResponses,
  }: Pick<EndpointContext, 'endpoint' | 'context' | 'strictResponses'>,
  difference: Readonly<Record<string, unknown>>,
): void {
  const internal = { operationId: endpoint.operationId, ...difference };
  if (strictResponses)
    throw new AppError('internal_error', { internal, cause: new Error(JSON.stringify(internal)) });
  context.logger.error(internal, 'a response differs from its declaration');
}

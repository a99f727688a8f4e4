/** The HTTP server: mounts the declared endpoints and turns every failure into the envelope. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Koa, { type Context } from 'koa';
import Router from '@koa/router';
import helmet from 'koa-helmet';
import { v4 } from 'uuid';
import { z } from 'zod';
import { AppError, type ErrorCode } from '../../src/domain/errors.ts';
import { callerIdOf } from '../../src/domain/people/authorization.ts';
import { clientAddresses, networkOf } from '../../src/platform/network/client-address.ts';
import { stringifyExact } from '../../src/platform/json/exact-json.ts';
import { authenticate } from '../../src/services/sign-in/authentication.ts';
import { admitFromNetwork } from '../../src/services/sign-in/sign-in-attempts.ts';
import type { Runtime, ServiceContext } from '../../src/services/context.ts';
import { answerIssues, printBody } from './answers.ts';
import {
  admit,
  presentedCredential,
  readCookie,
  refuseCrossSite,
  refuseForeignPage,
  sessionCookie,
  SSO_COOKIE,
} from './authentication.ts';
import { declaredAnswer, type AnyCall, type Endpoint, type Reply } from './endpoint.ts';
import { errorsOf } from './implied-errors.ts';
import {
  readBackground,
  readBody,
  readIdempotencyKey,
  readIfMatch,
  readQuery,
  readSignedForm,
  refuseBody,
  validate,
} from './input.ts';
import { loggedPath } from './logged-paths.ts';
import { mountOperations, type OperationProbes } from './operations.ts';
import { asAppError, problemFrom } from './problem.ts';
import { rateLimit, type RateLimit } from './rate-limit.ts';
import { serveWebApp } from '../pages/web-app.ts';
import { refuseGarbage, requireWellFormed } from './well-formed.ts';

/** The context of answering a call, without the call itself. */
interface Serving {
  readonly endpoint: Endpoint;
  /** Every code the endpoint may answer. */
  readonly declaredErrors: ReadonlySet<ErrorCode>;
  readonly context: ServiceContext;
  readonly strictAnswers: boolean;
  readonly limit: RateLimit;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly publicUrlConfigured: boolean;
}

/** A client that reads nothing of a long answer for this long, or twice as long, is disconnected. */
const UNREAD_MS = 120_000;

/** The client disconnected before the answer. */
const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

const NO_PARAMETERS = z.strictObject({});
const NO_FORM = { text: '', headers: {} };

export interface HttpOptions {
  /** What to mount: all endpoints, or none where only health and metrics are served. */
  readonly endpoints: readonly Endpoint[];
  /**
   * True: an answer that differs from its declaration fails the call (tests). False: it is logged.
   */
  readonly strictAnswers: boolean;
  /** Addresses and ranges of trusted proxies, whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  /**
   * Whether an operator set the public URL. Otherwise it is only the address on which this process
   * listens.
   */
  readonly publicUrlConfigured: boolean;
  readonly probes: OperationProbes;
}

/** Of all answers. Pages have a policy of their own. */
export const securityHeaders = () =>
  helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
  });

/** A server that is not listening yet. */
export function createHttpServer(context: ServiceContext, options: HttpOptions): Server {
  const app = new Koa();
  const router: Router = new Router({ sensitive: true, strict: true });
  const serving = {
    context,
    strictAnswers: options.strictAnswers,
    limit: rateLimit(context.limits.callsPerMinute),
    clientAddress: clientAddresses(options.trustedProxies),
    publicUrlConfigured: options.publicUrlConfigured,
  };
  for (const endpoint of options.endpoints) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const declaredErrors = new Set(errorsOf(endpoint));
    router.register(path, [endpoint.method], async (ctx: Context) => {
      await answer(ctx, { endpoint, declaredErrors, ...serving });
    });
  }
  mountOperations(router, context, options.probes);
  app.use(envelope(context));
  app.use(securityHeaders());
  app.use(requireWellFormed);
  if (options.endpoints.length > 0) app.use(serveWebApp());
  const named = namedPaths(options.endpoints);
  app.use(async (ctx, next) => {
    if (named.get(ctx.path)?.includes(ctx.method) !== false) await next();
    else refuseMethod(ctx, named.get(ctx.path) ?? []);
  });
  app.use(router.routes());
  app.use((ctx) => {
    const allowed = allowedMethods(router, ctx.path);
    if (allowed.length === 0)
      throw new AppError('not_found', { detail: 'There is nothing at this path.' });
    refuseMethod(ctx, allowed);
  });
  app.on('error', (error: Error & { code?: string }) => {
    const level = HUNG_UP.has(error.code ?? '') ? 'debug' : 'error';
    context.logger[level]({ err: error }, 'an answer could not be sent');
  });
  const serve = app.callback();
  // Node's own refusals have no request id and no envelope. So we refuse a missing Host ourselves,
  // and ignore an unknown Expect.
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, serve);
  server.on('checkExpectation', serve);
  server.on('clientError', refuseGarbage);
  server.on('connect', (_request, socket: Socket) => {
    refuseGarbage(new Error('this server is no proxy'), socket);
  });
  return server;
}

/**
 * The methods of paths without a placeholder. The placeholder of another path would treat such a
 * name as an id, and answer its methods. A placeholder that accepts the name, such as a key, keeps
 * its methods.
 */
function namedPaths(all: readonly Endpoint[]): ReadonlyMap<string, readonly string[]> {
  const names = all.map(({ path }) => path).filter((path) => !path.includes('{'));
  const matchers = all.map((endpoint) => ({ ...endpoint, pattern: patternOf(endpoint) }));
  return new Map(
    names.map((name) => {
      const methods = matchers
        .filter((endpoint) => accepts(endpoint, name))
        .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
      return [name, [...new Set(methods)].sort()];
    }),
  );
}

function patternOf({ path }: Endpoint): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

/** Whether the path, with its placeholders filled in, can be this one. */
function accepts(
  { pattern, params }: Pick<Endpoint, 'params'> & { readonly pattern: RegExp },
  target: string,
): boolean {
  const match = pattern.exec(target);
  return match !== null && (params?.safeParse({ ...match.groups }).success ?? true);
}

function refuseMethod(ctx: Context, allowed: readonly string[]): never {
  ctx.set('Allow', allowed.join(', '));
  throw new AppError('method_not_allowed');
}

function allowedMethods(router: Router, path: string): string[] {
  return [...new Set(router.match(path, 'GET').path.flatMap((layer) => layer.methods))].sort();
}

/** Adds the request id, one log line and the error envelope to every call. */
function envelope({ logger }: Runtime): Koa.Middleware {
  return async (ctx, next) => {
    const started = performance.now();
    const presented = ctx.get('X-Request-ID');
    const requestId = /^[\x20-\x7e]{1,128}$/.test(presented) ? presented : v4();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-ID', requestId);
    ctx.set('Cache-Control', 'no-store');
    try {
      await next();
    } catch (thrown) {
      const error = asAppError(thrown);
      const problem = problemFrom(error, requestId);
      ctx.status = problem.status;
      ctx.set(problem.headers);
      if (problem.status === 413 || problem.status === 415) ctx.set('Connection', 'close');
      ctx.type = 'application/json';
      ctx.body = stringifyExact(problem.body);
      // 501 is a configuration of this deployment, not a failure.
      if (problem.status >= 500 && problem.status !== 501)
        logger.error(
          { err: error.cause ?? error, requestId, internal: error.internal },
          'call failed',
        );
    }
    logger[ctx.url.startsWith('/health/') ? 'debug' : 'info'](
      {
        requestId,
        method: ctx.method,
        path: loggedPath(ctx.url),
        status: ctx.status,
        ms: Math.round(performance.now() - started),
      },
      'call',
    );
  };
}

async function answer(ctx: Context, serving: Serving): Promise<void> {
  const { endpoint } = serving;
  const { reply, caller } = await replyTo(ctx, serving).catch((thrown: unknown) => {
    const error = asAppError(thrown);
    checkError(serving, error.code);
    throw error;
  });
  const statuses = [endpoint.success.status].flat();
  const status = reply.status ?? statuses[0] ?? 200;
  await checkAnswer(serving, { reply, status, statuses });
  // Otherwise Koa would answer the words of the status. An empty body makes it a 204.
  if (reply.body === undefined) ctx.body = null;
  ctx.status = status;
  for (const [name, value] of Object.entries(reply.headers ?? {}))
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  if (reply.body === undefined) return;
  const { body, length } = await printBody(reply.body, {
    schema: declaredAnswer(endpoint, status).body,
    caller,
    report: (issues) => {
      reportDifference(serving, { status, issues });
    },
  });
  ctx.type = 'application/json';
  ctx.body = body;
  if (length !== undefined) ctx.length = length;
  // A client that stops reading must not keep what it was about to get.
  if (typeof body !== 'string') ctx.res.setTimeout(UNREAD_MS);
}

async function replyTo(ctx: Context, serving: Serving) {
  const call = await readCall(ctx, serving);
  const reply = await serving.endpoint.handler(call, serving.context);
  return { reply, caller: call.principal && callerIdOf(call.principal) };
}

/**
 * Credential first, permission second, input third, so that unauthorized callers learn nothing
 * about the input.
 */
async function readCall(
  ctx: Context,
  { endpoint, context, limit, clientAddress, publicUrlConfigured }: Serving,
): Promise<AnyCall> {
  const { headers } = ctx.req;
  const params = endpoint.params?.safeParse(ctx['params']);
  const resolve = async ({ counted }: { counted: boolean }) => {
    const { origin } = new URL(context.publicUrl());
    const ours = { origin, configured: publicUrlConfigured };
    if (endpoint.auth === 'none') {
      refuseForeignPage(ctx.method, headers, ours);
      return undefined;
    }
    const presented = presentedCredential(headers, endpoint);
    if (presented?.kind === 'session') refuseCrossSite(ctx.method, headers, ours);
    const principal = await authenticate(context, presented);
    if (counted && !endpoint.unlimited) await limit(principal);
    if (endpoint.edition === 'hosted' && context.edition !== 'hosted')
      throw new AppError('not_found');
    const target = endpoint.permissionAt?.(params?.data ?? ctx['params']) ?? {
      kind: 'organization',
    };
    admit(principal, { ...endpoint, target });
    if (endpoint.needsSecretsKey && !context.secrets) throw new AppError('secrets_key_missing');
    return principal;
  };
  const principal = await resolve({ counted: true });
  const address = clientAddress(ctx.req);
  if (endpoint.signInAttempt) await admitFromNetwork(context, address);
  return {
    principal,
    background: readBackground(headers, endpoint),
    query: validate(endpoint.query ?? NO_PARAMETERS, readQuery(ctx.querystring), '/query'),
    params: named(params),
    idempotencyKey: endpoint.headers?.idempotencyKey
      ? readIdempotencyKey(
          headers['idempotency-key'] as string | undefined,
          endpoint.headers.idempotencyKey,
        )
      : '',
    ifMatch: endpoint.headers?.ifMatch ? readIfMatch(headers['if-match']) : 0,
    body: await readBodyOf(endpoint, ctx.req, {
      pool: context.workerPool,
      onBehalfOf: principal ? callerIdOf(principal) : networkOf(address),
    }),
    signedForm: endpoint.signedForm
      ? await readSignedForm(ctx.req, {
          headers: endpoint.signedForm.headers,
          limit: endpoint.bodyLimit,
        })
      : NO_FORM,
    cookies: { session: sessionCookie(headers), sso: readCookie(headers, SSO_COOKIE) },
    client: {
      address,
      userAgent: (headers['user-agent'] ?? '').slice(0, 300),
    },
    signal: hangUp(ctx.res),
    authenticateAgain: () => resolve({ counted: false }),
  };
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

/** A path that cannot name anything is 404, not 400. */
function named(params: z.ZodSafeParseResult<unknown> | undefined): unknown {
  if (params?.success === false) throw new AppError('not_found');
  return params?.data;
}

function hangUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    controller.abort();
  });
  return controller.signal;
}

async function checkAnswer(
  { endpoint, context, strictAnswers }: Serving,
  { reply, status, statuses }: { reply: Reply; status: number; statuses: number[] },
): Promise<void> {
  const { body } = declaredAnswer(endpoint, status);
  const issues = body && (await answerIssues(body, reply.body));
  const bodyFits = issues ? issues.length === 0 : reply.body === undefined;
  if (bodyFits && statuses.includes(status)) return;
  reportDifference({ endpoint, context, strictAnswers }, { status, issues });
}

/** Clients can rely on the declared codes only when no other code is ever answered. */
function checkError(serving: Serving, code: ErrorCode): void {
  if (!serving.declaredErrors.has(code)) reportDifference(serving, { undeclaredError: code });
}

function reportDifference(
  { endpoint, context, strictAnswers }: Pick<Serving, 'endpoint' | 'context' | 'strictAnswers'>,
  difference: Readonly<Record<string, unknown>>,
): void {
  const internal = { operationId: endpoint.operationId, ...difference };
  if (strictAnswers)
    throw new AppError('internal_error', { internal, cause: new Error(JSON.stringify(internal)) });
  context.logger.error(internal, 'an answer differs from its declaration');
}

/** The HTTP server: mounts the declared endpoints and turns every failure into the envelope. */
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import Koa, { type Context } from 'koa';
import Router from '@koa/router';
import helmet from 'koa-helmet';
import { v4 } from 'uuid';
import { AppError } from '../../src/domain/errors.ts';
import { issuerOf } from '../../src/domain/people/key-resources.ts';
import { clientAddresses } from '../../src/platform/network/client-address.ts';
import { stringifyExact } from '../../src/platform/json/exact-json.ts';
import type { AppRuntime, AppContext } from '../../src/services/context.ts';
import type { Probes } from '../../src/services/ports.ts';
import { anyOrigin } from './any-origin.ts';
import { handleCall, type EndpointContext } from './call.ts';
import { dialectsOf, isAdopted } from './problems/dialects.ts';
import type { Endpoint } from './endpoint.ts';
import { errorsOf } from './implied-errors.ts';
import { performer } from './inner-call.ts';
import { loggedPath } from './logged-paths.ts';
import { mountOperations } from './operations.ts';
import { asAppError, problemFrom } from './problems/problem.ts';
import { rateLimit } from './rate-limit.ts';
import { serveWebApp } from '../pages/web-app.ts';
import { refuseGarbage, requireOwnHost, requireWellFormed } from './well-formed.ts';

/** The client disconnected before the response. */
const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

export interface HttpOptions {
  /** What to mount: all endpoints, or none where only health and metrics are served. */
  readonly endpoints: readonly Endpoint[];
  /**
   * True: a response that differs from its declaration fails the call (tests). False: it is logged.
   */
  readonly strictResponses: boolean;
  /** Addresses and ranges of trusted proxies, whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  /**
   * Whether an operator set the public URL. Otherwise it is only the address on which this process
   * listens.
   */
  readonly publicUrlConfigured: boolean;
  readonly probes: Probes;
  /** What `/metrics` wants as a bearer token. Without one it is there only where no public URL is set. */
  readonly metricsToken?: string | undefined;
}

/** How long the headers of a call may take, and all of it. A call that has arrived may be parked for longer. */
const ARRIVAL = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
} as const;

/** Of all responses. Pages have a separate policy. */
export const securityHeaders = () =>
  helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
  });

/** A year of https for this host, once people use it. Other hosts of its domain are not ours. */
const transportSecurity =
  ({ publicUrl }: AppRuntime): Koa.Middleware =>
  async (ctx, next) => {
    if (new URL(publicUrl()).protocol === 'https:')
      ctx.set('Strict-Transport-Security', 'max-age=31536000');
    await next();
  };

/** A server that is not listening yet. */
export function createHttpServer(context: AppContext, options: HttpOptions): Server {
  const app = new Koa();
  const router: Router = new Router({ sensitive: true, strict: true });
  const shared = {
    context,
    strictResponses: options.strictResponses,
    limit: rateLimit(context.limits.callsPerMinute),
    clientAddress: clientAddresses(options.trustedProxies),
    publicUrlConfigured: options.publicUrlConfigured,
    perform: performer((operationId) => byOperation.get(operationId)),
  };
  const endpoints = options.endpoints.map((endpoint): EndpointContext => ({
    ...shared,
    endpoint,
    declaredErrors: new Set(errorsOf(endpoint)),
  }));
  const byOperation = new Map(endpoints.map((each) => [each.endpoint.operationId, each]));
  for (const each of endpoints) {
    const path = each.endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router.register(path, [each.endpoint.method], async (ctx: Context) => {
      await handleCall(ctx, each);
    });
  }
  mountOperations(router, context, options);
  app.use(envelope(context, options.endpoints));
  app.use(securityHeaders());
  app.use(transportSecurity(context));
  app.use(requireWellFormed);
  if (!options.publicUrlConfigured && options.endpoints.length > 0)
    app.use(requireOwnHost(context));
  app.use(anyOrigin(options.endpoints));
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
    context.logger[level]({ err: error }, 'a response could not be sent');
  });
  const serve = app.callback();
  // Node's own refusals have no request id and no envelope. So we refuse a missing Host ourselves,
  // and ignore an unknown Expect.
  const server = createServer(
    { keepAliveTimeout: 65_000, requireHostHeader: false, ...ARRIVAL },
    serve,
  );
  server.on('checkExpectation', serve);
  server.on('clientError', refuseGarbage);
  server.on('connect', (_request, socket: Socket) => {
    refuseGarbage(new Error('this server is no proxy'), socket);
  });
  return server;
}

/**
 * The methods of paths without a placeholder. The placeholder of another path would treat such a
 * name as an id, and serve its methods. A placeholder that accepts the name, such as a key, keeps
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

/** RFC 6750: a token that was sent is wrong, so that the client gets another one. Without one, nothing is said about it. */
function challenge(ctx: Context, metadata: string | undefined): string {
  const parameters = [
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
    ...(/^bearer\s+\S/i.test(ctx.get('Authorization')) ? ['error="invalid_token"'] : []),
  ];
  return ['Bearer', parameters.join(', ')].join(' ').trim();
}

/** The MCP endpoint and its metadata, as clients write them that put a slash behind every address. */
const WITH_SLASH = /^((?:\/\.well-known\/oauth-protected-resource)?\/mcp)\/(?=\?|$)/;

/** Adds the request id, one log line and the error envelope to every call. */
function envelope(
  { logger, publicUrl }: AppRuntime,
  endpoints: readonly Endpoint[],
): Koa.Middleware {
  const dialectAt = dialectsOf(endpoints);
  const metadata = new Map(endpoints.map(({ path, resourceMetadata }) => [path, resourceMetadata]));
  return async (ctx, next) => {
    const started = performance.now();
    ctx.url = ctx.url.replace(WITH_SLASH, '$1');
    const dialect = dialectAt(ctx.url);
    const presented = ctx.get('X-Request-ID');
    const requestId = isAdopted(presented, dialect) ? presented : v4();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-ID', requestId);
    ctx.set('Cache-Control', 'no-store');
    try {
      await next();
    } catch (thrown) {
      const error = asAppError(thrown);
      const problem = problemFrom(error, requestId, dialect);
      ctx.status = problem.status;
      ctx.set(problem.headers);
      // A target that is no URL has no path for Koa to read.
      const described = metadata.get(ctx.url.split('?')[0] ?? '');
      if (error.kind === 'unauthenticated')
        ctx.set(
          'WWW-Authenticate',
          challenge(ctx, described && `${issuerOf(publicUrl())}${described}`),
        );
      if (error.kind === 'too_large' || error.kind === 'unsupported_media_type')
        ctx.set('Connection', 'close');
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

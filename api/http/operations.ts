/** Routes for operators, outside the API: health, metrics and the API's own description. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Router from '@koa/router';
import { AppError } from '../../src/domain/errors.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import type { ServiceContext } from '../../src/services/context.ts';
import { mountReference } from '../pages/reference.ts';

/** One named part of readiness: undefined when well, else its problem. */
export type Probe = () => Promise<string | undefined>;
export type OperationProbes = Readonly<Record<string, Probe>>;

const PROBE_TIMEOUT_MS = 2_000;
const OPENAPI_FILE = join(packageRoot(), 'api/openapi.yaml');

export interface OperationOptions {
  readonly probes: OperationProbes;
  readonly metricsToken?: string | undefined;
  readonly publicUrlConfigured: boolean;
}

const METRICS_CLOSED = 'Set COUNTERSIGN_METRICS_TOKEN to serve metrics at a public address.';

export function mountOperations(
  router: Router,
  context: ServiceContext,
  { probes, metricsToken, publicUrlConfigured }: OperationOptions,
): void {
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const checks = Object.fromEntries(await Promise.all(Object.entries(probes).map(runProbe)));
    const ready = Object.values(checks).every((check) => check.status === 'ok');
    ctx.status = ready ? 200 : 503;
    if (!ready) ctx.set('Retry-After', '2');
    ctx.body = { status: ready ? 'ok' : 'unavailable', checks };
  });
  router.get('/metrics', async (ctx) => {
    if (metricsToken !== undefined) requireToken(ctx.get('Authorization'), metricsToken);
    // The address is public, and so would be how much this organization does.
    else if (publicUrlConfigured) throw new AppError('not_found', { detail: METRICS_CLOSED });
    ctx.type = context.metrics.registry.contentType;
    ctx.body = await context.metrics.registry.metrics();
  });
  router.get('/api/openapi.yaml', async (ctx) => {
    ctx.type = 'application/yaml';
    ctx.body = await readFile(OPENAPI_FILE, 'utf8');
  });
  mountReference(router);
}

/** Compared as digests, which takes the same time whatever was sent. */
function requireToken(authorization: string, token: string): void {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, presented = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (!timingSafeEqual(digest(presented), digest(token)))
    throw new AppError('authentication_required');
}

async function runProbe([name, probe]: [string, Probe]): Promise<
  [string, { status: string; message?: string }]
> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(
      resolve,
      PROBE_TIMEOUT_MS,
      `no response within ${PROBE_TIMEOUT_MS / 1000} s`,
    );
  });
  const message = await Promise.race([probe().catch((error: unknown) => String(error)), late]);
  clearTimeout(timer);
  return [name, message === undefined ? { status: 'ok' } : { status: 'unavailable', message }];
}

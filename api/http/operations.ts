/** Routes for operators, outside the API: health, metrics and the API's own description. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Router from '@koa/router';
import { AppError, invalid } from '../../src/domain/errors.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import type { AppContext } from '../../src/services/context.ts';
import type { Probes } from '../../src/services/ports.ts';
import { overall, runProbes } from '../../src/services/probes.ts';
import { mountReference } from '../pages/reference.ts';

const OPENAPI_FILE = join(packageRoot(), 'api/openapi.yaml');

export interface OperationOptions {
  readonly probes: Probes;
  readonly metricsToken?: string | undefined;
  readonly publicUrlConfigured: boolean;
}

const METRICS_CLOSED = 'Set COUNTERSIGN_METRICS_TOKEN to serve metrics at a public address.';

export function mountOperations(
  router: Router,
  context: AppContext,
  { probes, metricsToken, publicUrlConfigured }: OperationOptions,
): void {
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const checks = await runProbes(without(probes, ctx.query['exclude'] ?? []));
    const status = overall(checks);
    ctx.status = status === 'unavailable' ? 503 : 200;
    if (status === 'unavailable') ctx.set('Retry-After', '2');
    ctx.body = { status, checks };
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

/** A misspelled name would leave out nothing, so it is refused. */
function without(probes: Probes, given: string | readonly string[]): Probes {
  const excluded = [given].flat();
  if (excluded.some((name) => !Object.hasOwn(probes, name)))
    throw invalid([
      {
        pointer: '/query/exclude',
        code: 'invalid_value',
        message: `must be one of ${Object.keys(probes).join(', ')}`,
      },
    ]);
  return Object.fromEntries(Object.entries(probes).filter(([name]) => !excluded.includes(name)));
}

/** Compared as digests, which takes the same time whatever was sent. */
function requireToken(authorization: string, token: string): void {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, presented = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (!timingSafeEqual(digest(presented), digest(token)))
    throw new AppError('authentication_required');
}

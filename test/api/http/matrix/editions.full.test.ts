/** The open edition against the hosted one, and the routes for operators. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../../api/http/endpoint.ts';
import { packageRoot } from '../../../../src/platform/package-root.ts';
import { guarded, guardedSamples, named } from '../../../support/matrix/endpoints.ts';
import {
  bearer,
  everything,
  expectOpened,
  startEdition,
  type Headers,
} from '../../../support/matrix/service.ts';
import { createWorld, paramsIn, type World } from '../../../support/matrix/world.ts';
import { createOrganizationKey } from '../../../support/scene/factories.ts';
import { until } from '../../../support/waiting.ts';

const open = await startEdition('open');
const { app } = open;
afterAll(() => app.close());

const hostedOnly = named.filter(({ endpoint }) => endpoint.edition === 'hosted');

describe('the open edition', () => {
  let world: World;
  let organizationKey: string;

  beforeAll(async () => {
    world = await createWorld(open.app);
    const policies = [everything('organization', [], 'organization_api_key')];
    ({ token: organizationKey } = await createOrganizationKey(
      open.app,
      world.organization,
      policies,
    ));
  });

  const outcome = async (endpoint: Endpoint, headers: Headers) => {
    const { status, body } = await open.send(endpoint, {
      params: paramsIn(world, endpoint),
      headers,
    });
    return [status, body['error']?.['code']];
  };

  test.each(hostedOnly)('$name: does not exist for authenticated callers', async ({ endpoint }) => {
    const { owner } = world.organization;
    for (const headers of [
      open.cookie(owner),
      bearer(owner.apiKey),
      bearer(world.agent.credential),
    ])
      expect(await outcome(endpoint, headers)).toEqual([404, 'not_found']);
    expect(await outcome(endpoint, {})).toEqual([401, 'authentication_required']);
  });

  test.each(guardedSamples)('$name: accepts no organization key', async ({ endpoint }) => {
    expect(await outcome(endpoint, bearer(organizationKey))).toEqual([
      401,
      'authentication_required',
    ]);
  });

  test.each(guarded.filter(({ endpoint }) => endpoint.edition !== 'hosted'))(
    '$name: serves everything that is not hosted',
    async ({ endpoint }) => {
      expectOpened(
        await open.send(endpoint, {
          params: paramsIn(world, endpoint),
          headers: await open.rightHeaders(endpoint, world),
        }),
      );
    },
  );
});

describe('the routes for operators', () => {
  test('serve the committed description of the API', async () => {
    const answer = await fetch(`${app.url}/api/openapi.yaml`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/yaml']);
    expect(await answer.text()).toBe(readFileSync(join(packageRoot(), 'api/openapi.yaml'), 'utf8'));
  });

  test('answer that the process is alive, and name what is not ready while Temporal is away', async () => {
    expect((await app.http.get('/health/live')).body).toEqual({ status: 'ok' });
    // Each part has two seconds, which a busy machine may need for itself.
    await until('the database answers in time, and Temporal does not', async () => {
      const ready = await app.http.get('/health/ready');
      expect(ready.status).toBe(503);
      expect(Number(ready.headers['retry-after'])).toBeGreaterThan(0);
      const parts = Object.values(
        ready.body['checks'] as unknown as Record<string, { status: string }>,
      );
      return new Set(parts.map(({ status }) => status)).size === 2;
    });
  });
});

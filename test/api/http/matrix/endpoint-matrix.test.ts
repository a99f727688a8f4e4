/**
 * Who may call what. The declarations alone determine what to expect, so a new endpoint is covered as soon as it is listed.
 * Here, every caller meets one endpoint of each class, and every endpoint what is its own. The night has every pair.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { ApiResponse } from '../../../support/http.ts';
import { opens } from '../../../support/matrix/admission.ts';
import {
  acquaintances,
  barred,
  strangers,
  withoutCredential,
} from '../../../support/matrix/callers.ts';
import {
  guarded,
  named,
  oneOfEachClass,
  samples,
  withQuery,
} from '../../../support/matrix/endpoints.ts';
import { describeCallers } from '../../../support/matrix/rows.ts';
import { startEdition } from '../../../support/matrix/service.ts';
import { createWorld, paramsIn, type Params } from '../../../support/matrix/world.ts';

const hosted = await startEdition('hosted');
const { app, rightHeaders, send } = hosted;
/** `home` owns the objects in the paths. */
const [home, foreign] = [await createWorld(app), await createWorld(app)];
afterAll(() => app.close());

test('the samples cover every kind of authentication', () => {
  expect(new Set(samples.map(({ endpoint }) => endpoint.auth))).toEqual(
    new Set(Object.keys(opens)),
  );
});

const callers = await acquaintances(hosted, home);
describeCallers(hosted, home, { callers: withoutCredential, at: named });
describeCallers(hosted, home, { callers, at: oneOfEachClass(home) });
describeCallers(hosted, home, { callers: await strangers(hosted, home), at: samples });
describeCallers(hosted, home, { callers: await barred(hosted, home), at: samples });

describe("another organization's objects", () => {
  const unknown: Params = {
    id: randomUUID(),
    policy_id: randomUUID(),
    slug: 'no-such-agent',
    agent_slug: 'no-such-agent',
    path_key: 'no-such-path',
    endpoint_key: 'no-such-endpoint',
    revision: '1',
    user_code: 'ABC-2345',
  };

  const outcome = ({ status, body }: ApiResponse, params: Params) => ({
    status,
    code: body['error']?.['code'] as unknown,
    message: Object.entries(params).reduce(
      (text, [name, value]) => text.replaceAll(value, name),
      String(body['error']?.['message']),
    ),
  });

  // A revision number alone names a document of the caller's own organization. So does a key whose
  // first revision makes its endpoint.
  const ofObjects = guarded.filter(
    ({ endpoint: { operationId, path } }) =>
      path.replace('{revision}', '').includes('{') &&
      operationId !== 'createWebhookEndpointRevision',
  );
  test.each(ofObjects)('$name: looks like a missing one', async ({ endpoint: declared }) => {
    const endpoint = withQuery(declared);
    const headers = await rightHeaders(endpoint, foreign);
    const params = paramsIn(home, endpoint);
    const found = await send(endpoint, { params, headers });
    const missing = await send(endpoint, { params: { ...params, ...unknown }, headers });
    expect(outcome(found, params)).toEqual(outcome(missing, unknown));
    expect(found.body['error']?.['code']).toBe(
      endpoint.body && found.status === 400 ? 'validation_failed' : 'not_found',
    );
  });

  const lists = guarded.filter(
    ({ endpoint }) => endpoint.method === 'get' && !endpoint.path.includes('{'),
  );
  test.each(lists)('$name: lists none', async ({ endpoint }) => {
    const { organization, agent, member, teamId, invitation, organizationKeyId } = home;
    const ids = [member.membershipId, teamId, agent.slug, organizationKeyId];
    const query = endpoint.operationId === 'listNames' ? `?ids=${ids.join(',')}` : '';
    const answer = await send(
      { ...endpoint, path: `${endpoint.path}${query}` },
      { params: {}, headers: await rightHeaders(endpoint, foreign) },
    );
    // Nothing is signed yet in the organization of the caller.
    const none = endpoint.operationId === 'getAuditCheckpoint' ? 404 : 200;
    expect(answer.status).toBe(none);
    for (const theirs of [
      organization.id,
      agent.slug,
      member.membershipId,
      member.email,
      teamId,
      invitation.id,
      organizationKeyId,
    ]) {
      expect(answer.text).not.toContain(theirs);
    }
  });
});

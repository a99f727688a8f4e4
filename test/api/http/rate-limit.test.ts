/** How many calls a credential may make in a minute, and which calls do not count. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import { adapterOf, ask, askUnevaluated } from '../../support/scene/approval-requests.ts';
import { createAgent, createMember } from '../../support/scene/factories.ts';
import type { HttpClient } from '../../support/http.ts';

const LIMIT = 5;
const limited = { status: 429, body: { error: { type: 'rate_limit', code: 'rate_limited' } } };

/** The answers of as many calls as a minute allows. */
const useUp = async (client: HttpClient, path: string) => {
  const calls = Array.from({ length: LIMIT }, () => client.get(path));
  return (await Promise.all(calls)).map(({ status }) => status);
};

const { app, organization } = await scene({
  app: { environment: { COUNTERSIGN_RATE_LIMIT: String(LIMIT) } },
});
const unlimited = await scene({ app: { environment: { COUNTERSIGN_RATE_LIMIT: '0' } } });

describe('with five calls a minute', () => {
  test('the sixth call is refused, with the seconds to wait as a whole number', async () => {
    const member = await createMember(app, organization.id);
    expect(await useUp(member.http, '/api/v1/me')).toEqual(Array<number>(LIMIT).fill(200));
    const refused = await member.http.get('/api/v1/me');
    expect(refused).toMatchObject(limited);
    expect(refused.headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
  });

  test('each credential has its own minute, even two of one member', async () => {
    const member = await createMember(app, organization.id);
    await useUp(member.http, '/api/v1/me');
    expect(await member.http.get('/api/v1/me')).toMatchObject(limited);
    expect((await member.browser.get('/api/v1/me')).status).toBe(200);
    expect((await (await createMember(app, organization.id)).http.get('/api/v1/me')).status).toBe(
      200,
    );
  });

  test('calls that are refused for another reason count', async () => {
    const member = await createMember(app, organization.id);
    expect(await useUp(member.http, '/api/v1/agents')).toEqual(Array<number>(LIMIT).fill(403));
    expect(await member.http.get('/api/v1/me')).toMatchObject(limited);
  });

  test('an adapter over its limit can still withdraw its request', async () => {
    const agent = await createAgent(app, organization);
    const id = await askUnevaluated(app, agent);
    const adapter = adapterOf(app, agent);
    await useUp(adapter, `/api/aap/v1/requests/${id}`);
    expect(await adapter.get(`/api/aap/v1/requests/${id}`)).toMatchObject(limited);
    expect(await adapter.delete(`/api/aap/v1/requests/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
  });

  test('a wait that returns counts once', async () => {
    const agent = await createAgent(app, organization);
    const id = await ask(app, agent);
    const adapter = adapterOf(app, agent);
    expect((await useUp(adapter, `/api/aap/v1/requests/${id}?wait=1s`)).sort()).toEqual([
      200, 200, 200, 200, 429,
    ]);
  });

  test('a call without a valid credential counts for no credential', async () => {
    const member = await createMember(app, organization.id);
    const forged = {
      authorization: `Bearer ${member.apiKey.slice(0, -43)}${randomUUID().padEnd(43, '0')}`,
    };
    for (let call = 0; call <= LIMIT; call += 1)
      expect((await app.http.get('/api/v1/me', { headers: forged })).status).toBe(401);
    expect((await member.http.get('/api/v1/me')).status).toBe(200);
  });
});

test('a limit of 0 means no limit', async () => {
  for (let round = 0; round < 3; round += 1)
    expect(await useUp(unlimited.owner.http, '/api/v1/me')).toEqual(Array<number>(LIMIT).fill(200));
});

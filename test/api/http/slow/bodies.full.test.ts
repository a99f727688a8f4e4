/**
 * A body can arrive for minutes. Every operation that has one, with every credential that opens it,
 * refuses a call whose credential ended meanwhile.
 */
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { endpoints } from '../../../../api/endpoints.ts';
import type { Endpoint } from '../../../../api/http/endpoint.ts';
import { mayHold } from '../../../../src/domain/people/permissions.ts';
import { opens, type CredentialKind } from '../../../support/matrix/admission.ts';
import { bearer, everything, startEdition, type Headers } from '../../../support/matrix/service.ts';
import { createWorld, filled, paramsIn } from '../../../support/matrix/world.ts';
import { createOrganizationKey } from '../../../support/scene/factories.ts';

const { app, cookie } = await startEdition('hosted');
const world = await createWorld(app);
const { organization, agent, provisioner } = world;
const key = await createOrganizationKey(app, organization, [
  everything('organization', [], 'organization_api_key'),
]);

afterAll(() => app.close());

const presented: Readonly<Record<CredentialKind, Headers>> = {
  human: cookie(organization.owner),
  api_key: bearer(organization.owner.apiKey),
  organization_api_key: bearer(key.token),
  agent: bearer(agent.credential),
  provisioner: bearer(provisioner.token),
} as Readonly<Record<CredentialKind, Headers>>;

const calls = endpoints
  .filter(({ method, auth }) => method !== 'get' && method !== 'delete' && auth !== 'none')
  .flatMap((endpoint) =>
    opens[endpoint.auth]
      .filter(
        (kind) =>
          kind === 'provisioner' || !endpoint.permission || mayHold(kind, endpoint.permission),
      )
      .map((kind) => ({ endpoint, kind })),
  );

interface Sending {
  readonly sent: ClientRequest;
  readonly answered: Promise<IncomingMessage>;
  readonly rest: string;
  isEarly: boolean;
}

/** Sends all but the last byte of an acceptable body. */
function begin({ endpoint, kind }: (typeof calls)[number]): Sending {
  const body = JSON.stringify(endpoint.body ? (endpoint.requestExample ?? {}) : {});
  const sent = request(`${app.url}${filled(endpoint.path, paramsIn(world, endpoint))}`, {
    method: endpoint.method,
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headersOf(endpoint),
      ...presented[kind],
    },
  });
  const sending: Sending = {
    sent,
    rest: body.slice(-1),
    isEarly: false,
    answered: once(sent, 'response').then(([response]) => {
      sending.isEarly = !sent.writableEnded;
      return response as IncomingMessage;
    }),
  };
  sent.write(body.slice(0, -1));
  return sending;
}

const headersOf = ({ headers }: Endpoint): Headers => ({
  ...(headers?.idempotencyKey && { 'idempotency-key': randomUUID() }),
  ...(headers?.ifMatch && { 'if-match': '"1"' }),
});

async function endAllCredentials(): Promise<void> {
  const revoked = { revoked_at: new Date() };
  for (const table of ['sessions', 'api_keys', 'agent_credentials', 'agent_provisioners'])
    await app.db(table).whereNull('revoked_at').update(revoked);
}

test('what arrives completely only after its credential ended is refused', async () => {
  expect(calls.length).toBeGreaterThan(100);
  const begun = calls.map((call) => ({ call, ...{ sending: begin(call) } }));
  // Calls are authenticated in their order, so all are once these are answered, however busy the machine is.
  for (let count = 0; count < 20; count += 1)
    expect((await app.http.get('/api/v1/me', { headers: presented.api_key })).status).toBe(200);
  // Longer than a credential that was read counts as proof, also where a busy machine read some of them last.
  await delay(5_000);
  await endAllCredentials();
  const outcomes = await Promise.all(
    begun.map(async ({ call: { endpoint, kind }, sending }) => {
      sending.sent.end(sending.rest);
      const response = await sending.answered;
      const code = /"code":"(\w+)"/.exec(await text(response))?.[1];
      const name = `${endpoint.operationId} by ${kind}`;
      return `${name}: ${sending.isEarly ? 'early ' : ''}${response.statusCode ?? 0} ${code ?? ''}`;
    }),
  );
  expect(outcomes.filter((each) => !each.endsWith(': 401 authentication_required'))).toEqual([]);
});

/** Which credentials the adapter protocol accepts, and when it stops accepting them. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  Adapter,
  errorOf,
  requestOf,
  type ErrorResponse,
  type RawResponse,
} from '../../../support/adapter.ts';
import { scene } from '../../../support/scene.ts';
import type { SceneAgent } from '../../../support/scene/cast.ts';
import { submission } from './submissions.ts';
import { idOf, tokenParts } from '../../../support/tokens.ts';
import { until } from '../../../support/waiting.ts';

const { app, owner, agents, agent } = await scene({ pipelines: { bot: {} } });
const { bot } = agents;
const anonymous = new Adapter({ baseUrl: `${app.url}/api/aap` });
const { id } = requestOf(await bot.adapter.create(submission()));

const revoke = async ({ credentialId }: SceneAgent): Promise<number> =>
  (await owner.http.delete(`/api/v1/agent-credentials/${credentialId}`)).status;

type Headers = Readonly<Record<string, string>>;

/** The three operations with the given headers, and otherwise valid. */
async function everyOperation(headers: Headers): Promise<(ErrorResponse | RawResponse)[]> {
  const more = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  const path = `/api/aap/v1/requests/${id}`;
  return [
    await anonymous.raw('POST', '/api/aap/v1/requests', {
      headers: { ...more, ...headers },
      body: submission(),
    }),
    await anonymous.raw('GET', path, { headers }),
    await anonymous.raw('GET', `${path}?wait=10s`, { headers }),
    await anonymous.raw('DELETE', path, { headers }),
  ];
}

async function expectEvery(headers: Headers, status: 401 | 403): Promise<void> {
  for (const answer of await everyOperation(headers)) {
    const { error } = errorOf(answer);
    expect([answer.status, error.type]).toEqual([
      status,
      status === 401 ? 'authentication' : 'authorization',
    ]);
  }
}

describe('an invalid credential', () => {
  const parts = () => tokenParts(bot.credential);
  const flip = (text: string, index: number): string =>
    text.slice(0, index) + (text.at(index) === 'A' ? 'B' : 'A') + text.slice(index + 1);

  test.each<[string, () => Headers]>([
    ['missing', () => ({})],
    ['empty', () => ({ Authorization: '' })],
    ['a scheme alone', () => ({ Authorization: 'Bearer' })],
    ['another scheme', () => ({ Authorization: `Basic ${bot.credential}` })],
    ['no scheme', () => ({ Authorization: bot.credential })],
    ['words', () => ({ Authorization: 'Bearer one two' })],
    [
      'two at once',
      () => ({ Authorization: `Bearer ${bot.credential}, Bearer ${bot.credential}` }),
    ],
    ['garbage', () => ({ Authorization: 'Bearer %00\u00ff{}"\'' })],
    ['far too long', () => ({ Authorization: `Bearer whc_${'a'.repeat(8_000)}` })],
    ['the prefix alone', () => ({ Authorization: 'Bearer whc_' })],
    ['no secret', () => ({ Authorization: `Bearer whc_${parts().id}` })],
    ['an empty secret', () => ({ Authorization: `Bearer whc_${parts().id}_` })],
    [
      'tampered in its first character',
      () => ({ Authorization: `Bearer whc_${parts().id}_${flip(parts().secret, 0)}` }),
    ],
    [
      'tampered in the middle',
      () => ({ Authorization: `Bearer whc_${parts().id}_${flip(parts().secret, 20)}` }),
    ],
    [
      'tampered in its id',
      () => ({ Authorization: `Bearer whc_${flip(parts().id, 3)}_${parts().secret}` }),
    ],
    ['truncated', () => ({ Authorization: `Bearer ${bot.credential.slice(0, -1)}` })],
    ['extended', () => ({ Authorization: `Bearer ${bot.credential}A` })],
    ['in capitals', () => ({ Authorization: `Bearer ${bot.credential.toUpperCase()}` })],
    [
      'of the right id with a wrong secret',
      () => ({ Authorization: `Bearer whc_${parts().id}_${'A'.repeat(parts().secret.length)}` }),
    ],
    [
      'with a personal key’s prefix',
      () => ({ Authorization: `Bearer whk_${parts().id}_${parts().secret}` }),
    ],
    [
      'with an organization key’s prefix',
      () => ({ Authorization: `Bearer who_${parts().id}_${parts().secret}` }),
    ],
    [
      'with a provisioner’s prefix',
      () => ({ Authorization: `Bearer whp_${parts().id}_${parts().secret}` }),
    ],
    [
      'an unknown session',
      () => ({ Cookie: 'service_session=whs_nothing', 'Sec-Fetch-Site': 'same-origin' }),
    ],
  ])('is 401: %s', async (_name, headers) => {
    await expectEvery(headers(), 401);
  });

  test('is 401 with the id of another instance', async () => {
    const other = await agent();
    await expectEvery(
      { Authorization: `Bearer whc_${idOf(other.credential)}_${parts().secret}` },
      401,
    );
  });

  test('is refused before anything else is checked', async () => {
    const wrong = new Adapter({ baseUrl: `${app.url}/api/aap`, credential: 'whc_no_body' });
    expect(errorOf(await wrong.create('not json', { idempotencyKey: null })).status).toBe(401);
    expect(errorOf(await wrong.get(id, { wait: 'nonsense' })).status).toBe(401);
    expect(errorOf(await wrong.cancel(randomUUID())).status).toBe(401);
  });
});

const expire = async ({ credentialId }: SceneAgent): Promise<void> => {
  const expires_at = app.db.raw('clock_timestamp()');
  await app.db('agent_credentials').where({ id: credentialId }).update({ expires_at });
};

describe('a credential that has ended', () => {
  test('is 401 from the moment of its revocation', async () => {
    const ended = await agent();
    expect((await ended.adapter.create(submission())).status).toBe(201);
    expect(await revoke(ended)).toBe(204);
    await expectEvery({ Authorization: `Bearer ${ended.credential}` }, 401);
    expect(await revoke(ended)).toBe(204);
  });

  test('is 401 from the moment of its expiry', async () => {
    const brief = await agent();
    const { id: own } = requestOf(await brief.adapter.create(submission()));
    const waiting = brief.adapter.get(own, { wait: '30s' });
    await until('the wait is parked', () => app.context.changes.waitedFor().includes(own));
    await expire(brief);
    expect((await waiting).status).toBe(401);
    await expectEvery({ Authorization: `Bearer ${brief.credential}` }, 401);
  });
});

describe('a credential of a disabled agent or instance', () => {
  test.each(['agent', 'instance'] as const)('is 403 while the %s is disabled', async (what) => {
    const disabled = await agent();
    const { slug, instanceId } = disabled;
    const [table, where] =
      what === 'agent' ? ['agents', { slug }] : ['agent_instances', { id: instanceId }];
    await app.db(table).where(where).update({ status: 'disabled' });
    await expectEvery({ Authorization: `Bearer ${disabled.credential}` }, 403);
    expect(errorOf(await disabled.adapter.create(submission())).error.code).toBe(
      `${what}_disabled`,
    );
  });
});

describe('a valid credential of another kind', () => {
  test('is 403 for a personal API key', async () => {
    await expectEvery({ Authorization: `Bearer ${owner.apiKey}` }, 403);
  });

  test('is 403 for a session cookie', async () => {
    await expectEvery(
      { Cookie: owner.cookie, Origin: app.url, 'Sec-Fetch-Site': 'same-origin' },
      403,
    );
  });

  test('of an agent opens no endpoint of the product', async () => {
    const headers = {
      Authorization: `Bearer ${bot.credential}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    };
    const decide = await anonymous.raw('POST', `/api/v1/requests/${id}/decision`, {
      headers,
      body: '{"status":"approved"}',
    });
    expect(errorOf(decide).error.type).toBe('authorization');
    for (const path of [
      '/api/v1/requests',
      `/api/v1/requests/${id}`,
      '/api/v1/agents',
      '/api/v1/me',
      '/api/v1/me/api_keys',
    ]) {
      expect(errorOf(await anonymous.raw('GET', path, { headers })).status).toBe(403);
    }
    expect(requestOf(await bot.adapter.get(id)).status).toBe('pending');
  });

  test('does not replace a wrong bearer token', async () => {
    await expectEvery(
      {
        Cookie: owner.cookie,
        Origin: app.url,
        Authorization: 'Bearer whc_no_body',
      },
      401,
    );
  });
});

test('a valid credential keeps working throughout', async () => {
  expect(requestOf(await bot.adapter.get(id)).status).toBe('pending');
  const lower = await anonymous.raw('GET', `/api/aap/v1/requests/${id}`, {
    headers: { Authorization: `bearer ${bot.credential}` },
  });
  expect(lower.status).toBe(200);
});

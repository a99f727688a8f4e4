/** Names that read the same are the same, however they are spelled and wherever they are given. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import { createAgent, createProvisioner } from '../../support/scene/factories.ts';
import { deleteAttempts } from '../../support/scene/sign-in.ts';

const { app, organization, owner } = await scene({
  app: { environment: { COUNTERSIGN_MAX_ACTIVE_AGENTS: '1000' } },
});

/** Two spellings of one name; the blanks are a space, a no-break, an ideographic and a thin one. */
const PAIRS = [
  ['Pay bot', 'Pay bot '],
  ['Pay bot', ' Pay bot'],
  ['Pay bot', '\u00a0Pay bot\u3000\u2009'],
  ['Pay bot', 'PAY BOT'],
  ['Pay bot', 'Pay\u00a0bot'],
  ['Pay bot', 'Ｐａｙ bot'],
  ['Pay bot', 'Pay bot\ufe0f '],
  ['caf\u00e9', 'CAFE\u0301'],
  ['дима', 'ДИМА '],
  ['ΟΔΟΣ', 'οδος'],
  ['Straße', 'STRASSE'],
  ['ﬁle ①', 'FILE 1'],
] as const;

const DISTINCT = [
  ['Pay bot', 'Pay  bot'],
  ['Pay bot', 'Paybot'],
  ['cafe', 'café'],
  ['Pay bot', 'Рay bot'], // The first letter is Cyrillic.
] as const;

const outcome = ({ status, body }: ApiResponse): string =>
  [status, body['error']?.['code']].filter(Boolean).join(' ');
const slugOf = (): string => `a-${randomUUID()}`;
const newSlug = async (): Promise<string> => (await createAgent(app, organization, slugOf())).slug;

const TEAMS = '/api/v1/teams';
const AGENTS = '/api/v1/agents';

interface Noun {
  readonly noun: string;
  readonly taken: string;
  /** A place where no name is taken. */
  begin(): Promise<{
    readonly create: (name: string) => Promise<ApiResponse>;
    readonly rename: (made: ApiResponse, name: string) => Promise<ApiResponse>;
  }>;
}

const elsewhere = async () => (await scene({ on: app })).owner.http;

const patch = (http: HttpClient, path: string, name: string) =>
  http.call('PATCH', path, { body: { name } });

const renameInstance = (made: ApiResponse, name: string) =>
  patch(owner.http, `/api/v1/agent_instances/${made.body['agent_instance']?.['id']}`, name);

const NOUNS: readonly Noun[] = [
  {
    noun: 'agent',
    taken: 'agent_name_taken',
    begin: async () => {
      const http = await elsewhere();
      return {
        create: (name) => http.post(AGENTS, { slug: slugOf(), name }),
        rename: ({ body }, name) => patch(http, `${AGENTS}/${body['slug']}`, name),
      };
    },
  },
  {
    noun: 'team',
    taken: 'team_name_taken',
    begin: async () => {
      const http = await elsewhere();
      return {
        create: (name) => http.post(TEAMS, { name }),
        rename: ({ body }, name) => patch(http, `${TEAMS}/${body['team']?.['id']}`, name),
      };
    },
  },
  {
    noun: 'instance',
    taken: 'instance_name_taken',
    begin: async () => {
      const slug = await newSlug();
      return {
        create: (name) => owner.http.post(`${AGENTS}/${slug}/instances`, { name }),
        rename: renameInstance,
      };
    },
  },
  {
    noun: 'provisioned instance',
    taken: 'instance_name_taken',
    begin: async () => {
      const { token } = await createProvisioner(app, organization, await newSlug());
      const fleet = new HttpClient(app.url, { authorization: `Bearer ${token}` });
      return {
        create: (name) => fleet.post('/api/aap/v1/instances', { instance_name: name }),
        rename: renameInstance,
      };
    },
  },
  {
    noun: 'enrolled instance',
    taken: 'instance_name_taken',
    begin: async () => {
      const slug = await newSlug();
      return {
        create: async (name) => {
          await deleteAttempts(app);
          const begun = await app.http.post('/auth/agent_enrollments', {
            runtime: 'test runtime',
            instance_name: name,
          });
          const path = `/api/v1/agent_enrollments/${begun.body['user_code']}/authorize`;
          return await owner.browser.post(path, { agent_slug: slug });
        },
        rename: renameInstance,
      };
    },
  },
];

describe.each(NOUNS)('a name: $noun', ({ taken, begin }) => {
  test.each(PAIRS)('%j is also %j', async (one, other) => {
    const { create, rename } = await begin();
    const [first, second] = [await create(one), await create('Another')];
    expect([first.status, second.status].every((status) => status < 300)).toBe(true);
    expect(outcome(await create(other))).toBe(`409 ${taken}`);
    expect(outcome(await rename(second, other))).toBe(`409 ${taken}`);
    expect(outcome(await rename(first, other))).toBe('200');
    expect(outcome(await create(one))).toBe(`409 ${taken}`);
  });

  test.each(DISTINCT)('%j is not %j', async (one, other) => {
    const { create } = await begin();
    expect((await create(one)).status).toBeLessThan(300);
    expect((await create(other)).status).toBeLessThan(300);
  });

  test('may be long in every form that is compared', async () => {
    const { create } = await begin();
    // One character that normalization turns into 18, and many that it turns into five.
    const long = Array.from({ length: 100 }, (_, n) =>
      n % 2 ? '\ufdfa' : String.fromCodePoint(0x3300 + ((n * 37) % 88)),
    ).join('');
    expect((await create(long)).status).toBeLessThan(300);
    expect(outcome(await create(`${long.slice(0, -1)} `))).not.toMatch(/^5/);
  });

  test('is given once when two spellings race', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { create } = await begin();
      const answers = await Promise.all(PAIRS[0].map(create));
      const [won, lost] = answers.toSorted((a, b) => a.status - b.status).map(outcome);
      expect(won).toMatch(/^20[01]$/);
      expect(lost).toBe(`409 ${taken}`);
    }
  });
});

test('an instance and a new agent that one person authorizes have names of their own', async () => {
  const member = (await scene({ on: app })).owner;
  await member.http.post(AGENTS, { slug: 'first', name: 'Pay bot' });
  await deleteAttempts(app);
  const begun = await app.http.post('/auth/agent_enrollments', {
    runtime: 'test runtime',
    instance_name: 'Pay bot ',
  });
  const path = `/api/v1/agent_enrollments/${begun.body['user_code']}/authorize`;
  const authorize = (name: string) =>
    member.browser.post(path, { create_agent: { slug: 'second', name } });
  expect(outcome(await authorize('Pay bot '))).toBe('409 agent_name_taken');
  expect(outcome(await authorize('Refund bot'))).toBe('200');
});

test('an archived agent comes back only while no live one has its name in any spelling', async () => {
  const http = await elsewhere();
  expect((await http.post(AGENTS, { slug: 'old', name: 'Pay bot' })).status).toBe(201);
  expect((await http.delete(`${AGENTS}/old`)).status).toBe(204);
  expect((await http.post(AGENTS, { slug: 'new', name: 'pay bot ' })).status).toBe(201);
  expect(outcome(await http.post(`${AGENTS}/old/restore`))).toBe('409 agent_name_taken');
});

describe('a search by name', () => {
  const SEARCHED = ['pay bot ', '\u3000ＰＡＹ\u00a0BOT', 'ay B'];

  test.each([
    ['agents', AGENTS, (http) => http.post(AGENTS, { slug: 'pays', name: 'Pay bot' })],
    ['teams', TEAMS, (http) => http.post(TEAMS, { name: 'Pay bot' })],
    [
      'paths',
      '/api/v1/escalation-paths',
      (http) =>
        http.post('/api/v1/escalation-paths', {
          path_key: 'pays',
          name: 'Pay bot',
          nodes: [
            {
              id: randomUUID(),
              type: 'level',
              targets: [{ type: 'broadcast' }],
              escalate_after: '10m',
            },
          ],
        }),
    ],
  ] satisfies [string, string, (http: HttpClient) => Promise<ApiResponse>][])(
    'finds %s in every spelling',
    async (_, path, create) => {
      const http = await elsewhere();
      expect((await create(http)).status).toBe(201);
      const found = async (q: string) =>
        JSON.stringify((await http.get(`${path}?q=${encodeURIComponent(q)}`)).body);
      for (const q of SEARCHED)
        expect([q, await found(q)]).toEqual([q, expect.stringMatching(/Pay bot/)]);
      for (const q of ['pay_bot', 'Pay%', 'Pay  bot'])
        expect([q, await found(q)]).toEqual([q, expect.not.stringMatching(/Pay bot/)]);
    },
  );

  test('finds instances and keys in every spelling', async () => {
    const { owner: member } = await scene({ on: app, pipelines: { bot: {} } });
    const made = await member.http.post(`${AGENTS}/bot/instances`, { name: 'Pay bot' });
    const key = await member.browser.post('/api/v1/me/api_keys', { name: 'Pay bot' });
    expect([made.status, key.status]).toEqual([201, 201]);
    for (const q of SEARCHED.map(encodeURIComponent)) {
      const { body } = await member.http.get(`${AGENTS}/bot?instance_q=${q}`);
      expect([q, body['matching_instance_count']]).toEqual([q, 1]);
      const keys = await member.browser.get(`/api/v1/api_keys?q=${q}`);
      expect([q, JSON.stringify(keys.body)]).toEqual([q, expect.stringMatching(/"Pay bot"/)]);
    }
  });
});

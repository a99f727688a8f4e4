/** GET /overview: what a manager sees first counts only what they may see. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { always } from '../requests/aap/submissions.ts';
import { HttpClient } from '../../support/http.ts';
import { appForFile, everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createOrganizationKey, createProvisioner } from '../../support/scene/factories.ts';
import { idOf } from '../../support/tokens.ts';

const READS = ['organization.read', 'agent.read', 'request.read', 'request.read.unrouted'];

const {
  app,
  people,
  owner,
  organization,
  teams,
  agents,
  ask,
  decide,
  withdraw,
  later,
  deadlineOf,
  read,
} = await scene({
  people: {
    ada: REVIEWER,
    bob: REVIEWER,
    mia: READS,
    otto: ['organization.read'],
    pia: {
      policies: [
        everywhere('organization.read'),
        {
          scope_kind: 'agent',
          resource_ids: ['free-bot'],
          permissions: ['agent.read', 'request.read'],
        },
      ],
    },
  },
  teams: { desk: ['ada'], night: ['bob'], idle: [] },
  paths: { desk: [['desk'], ['night']], alone: [['ada']] },
  pipelines: {
    'desk-bot': 'desk',
    'lone-bot': 'alone',
    'free-bot': {},
    'quiet-bot': always('approve', 'Harmless.'),
  },
});

const hosted = await appForFile({
  databaseUrl: app.databaseUrl,
  environment: { COUNTERSIGN_EDITION: 'hosted' },
});

const DAY = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms);
const overviewOf = async (person: { readonly http: typeof owner.http }) => {
  const { status, body } = await person.http.get('/api/v1/overview');
  expect(status).toBe(200);
  return body;
};

describe('an overview', () => {
  beforeAll(async () => {
    const decided = await ask({ agent: 'free-bot' });
    expect((await decide(owner, decided)).status).toBe(200);
    const slow = await ask({ agent: 'free-bot' });
    await app
      .db('approval_requests')
      .where({ id: slow })
      .update({ routed_at: ago(3_600_000) });
    expect((await decide(owner, slow, { status: 'denied' })).status).toBe(200);
    const late = await ask({ agent: 'desk-bot' });
    await later(late, await deadlineOf(late));
    expect((await read(late))['status']).toBe('expired');
    await withdraw(await ask({ agent: 'free-bot' }));
    await ask({ agent: 'desk-bot' });
    await ask({ agent: 'desk-bot' });
    await ask({ agent: 'lone-bot' });
    await ask({ agent: 'free-bot' });
    const instances = app.db('agent_instances');
    await instances
      .clone()
      .where({ id: agents['desk-bot'].instanceId })
      .update({ created_at: ago(30 * DAY), last_seen_at: ago(4 * DAY), live_until: ago(-3 * DAY) });
    await instances
      .clone()
      .where({ id: agents['free-bot'].instanceId })
      .update({ live_until: ago(-30 * DAY) });
    const fleet = await createProvisioner(app, organization, 'quiet-bot');
    await app
      .db('agent_provisioners')
      .where({ id: fleet.id })
      .update({ expires_at: ago(-2 * DAY) });
    await instances
      .clone()
      .whereIn('id', [agents['quiet-bot'].instanceId, agents['lone-bot'].instanceId])
      .update({ live_until: null });
  });

  test('counts what waits by team, how fast people decide, and what will need a hand', async () => {
    const { waiting, decided, ending, silent } = await overviewOf(people.mia);
    expect(waiting).toMatchObject({
      count: 4,
      teams: [
        { team_id: teams.desk, team_name: 'desk', count: 2 },
        { team_id: teams.night, team_name: 'night', count: 2 },
      ],
      without_team: { count: 2 },
    });
    expect(waiting?.['teams']).toMatchObject([{ oldest_at: waiting?.['oldest_at'] }, {}]);
    expect(decided).toMatchObject({ by_people: 2, by_rules: 0, expired: 1 });
    expect(decided?.['median_seconds']).toBeLessThan(3_600);
    expect(decided?.['long_seconds']).toBeGreaterThanOrEqual(3_600);
    expect(Date.now() - Date.parse(String(decided?.['since']))).toBeGreaterThan(6.9 * DAY);
    expect(ending).toMatchObject({
      count: 2,
      agents: [
        { slug: 'quiet-bot', instance_count: 0, provisioner_count: 1 },
        { slug: 'desk-bot', instance_count: 1, provisioner_count: 0 },
      ],
    });
    expect(silent).toMatchObject({ count: 1, agents: [{ slug: 'desk-bot' }] });
    expect(await overviewOf(owner)).toMatchObject({ waiting: { count: 4 } });
  });

  test('counts what rules decided, and nothing that is older than a week', async () => {
    const id = await ask({ agent: 'quiet-bot' });
    expect((await overviewOf(people.mia)).decided).toMatchObject({ by_people: 2, by_rules: 1 });
    // The database keeps decisions as they are.
    await app.db.transaction(async (trx) => {
      await trx.raw('alter table decisions disable trigger decisions_immutable');
      await trx('decisions')
        .where({ request_id: id })
        .update({ decided_at: ago(8 * DAY) });
      await trx.raw('alter table decisions enable trigger decisions_immutable');
    });
    expect((await overviewOf(people.mia)).decided).toMatchObject({ by_people: 2, by_rules: 0 });
  });

  test('names the keys that work and end soon, to those who may see them', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * DAY);
    const keys = app.db('api_keys');
    const change = async (token: string, changed: object) => {
      await keys
        .clone()
        .where({ id: idOf(token) })
        .update(changed);
    };
    const longAgo = { created_at: ago(90 * DAY) };
    const make = async (name: string, days: number) => {
      const { token } = await createOrganizationKey(app, organization);
      await change(token, { name, ...longAgo, expires_at: inDays(days) });
      return token;
    };
    await make('next', 2);
    await make('ended', -1);
    await make('later', 30);
    await change(await make('revoked', 3), { revoked_at: new Date(), revocation_reason: 'manual' });
    await change(people.mia.apiKey, { name: 'mine', expires_at: inDays(5) });
    const namedFor = async (http: typeof owner.http) => {
      const { body } = await http.get('/api/v1/overview');
      const { count, keys: named } = body['ending_keys'] as unknown as {
        count: number;
        keys: { name: string; kind: string; is_own: boolean }[];
      };
      expect(count).toBe(named.length);
      return named.map(({ name, kind, is_own }) => [name, kind, is_own]);
    };
    expect(await namedFor(people.pia.browser)).toEqual([]);
    expect(await namedFor(people.mia.browser)).toEqual([['mine', 'personal', true]]);
    // A key is told nothing of others.
    expect(await namedFor(people.mia.http)).toEqual([]);
    // Keys of the organization work in the hosted edition only.
    expect(await namedFor(owner.browser)).toEqual([['mine', 'personal', false]]);
    expect(await namedFor(new HttpClient(hosted.url, { cookie: owner.cookie }))).toEqual([
      ['next', 'organization', false],
      ['mine', 'personal', false],
    ]);
  });

  test('is only about what the caller may see', async () => {
    expect(await overviewOf(people.otto)).toMatchObject({
      waiting: { count: 0, teams: [], without_team: { count: 0 } },
      decided: { by_people: 0, by_rules: 0, expired: 0 },
      ending: { count: 0, agents: [] },
      silent: { count: 0, agents: [] },
    });
    const narrow = await overviewOf(people.pia);
    expect(narrow).toMatchObject({
      waiting: { count: 1, teams: [], without_team: { count: 1 } },
      decided: { by_people: 2, expired: 0 },
      ending: { count: 0 },
      silent: { count: 0 },
    });
  });
});

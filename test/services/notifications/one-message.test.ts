/**
 * A person gets one message at a time, in Slack and in the timeline, no matter how many targets of
 * a level name them.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask, stepAt } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createTeam,
  type TestMember,
} from '../../support/scene/factories.ts';
import {
  createDecider,
  createScene,
  deliver,
  link,
  newChannel,
  newUser,
  slackForFile,
} from '../../support/scene/slack-scene.ts';

const channel = newChannel();
const { app, slack } = await slackForFile();
const here = await createScene(app, slack, { defaultChannel: channel });
const ben = here.reviewer;
const cleo = await createDecider(app, here.organization, here.agent);
const cleoInSlack = newUser();
await link(here.caller, cleo, cleoInSlack);

const user = ({ membershipId }: TestMember) => ({ type: 'user', id: membershipId });
const team = (id: string) => ({ type: 'team', id });
const level = (targets: readonly object[], escalate_after = '1m') => ({
  id: randomUUID(),
  type: 'level',
  targets,
  escalate_after,
});

/** A team of both, with a policy of these nodes. */
async function teamBy(...nodes: readonly object[]): Promise<string> {
  const id = await createTeam(app, here.organization.id, { members: [ben, cleo] });
  await activatePolicy(here.organization.owner, id, { nodes });
  return id;
}

async function askAt(...nodes: readonly object[]): Promise<string> {
  const { owner } = here.organization;
  const path_key = `path-${randomUUID()}`;
  await activatePath(owner, { path_key, name: 'Path', nodes });
  await activatePipeline(owner, `agents/${here.agent.slug}`, {
    default_escalation_path: path_key,
    blocks: [],
  });
  return await ask(app, here.agent, { timeout: '48h' });
}

async function goOn(id: string): Promise<void> {
  const { body } = await here.organization.owner.http.get(`/api/v1/requests/${id}/routing`);
  await stepAt(app, id, new Date(String(body['next_at'])));
}

let before: readonly number[] = [];
const posts = () =>
  [`D${here.slackUser}`, `D${cleoInSlack}`, channel].map((each) => slack.postsTo(each).length);

beforeEach(() => {
  before = posts();
});

/** Messages since the test began: to Ben, to Cleo, to the default channel. */
async function messages(): Promise<readonly number[]> {
  await deliver(app);
  return posts().map((count, index) => count - (before[index] ?? 0));
}

/** The people notified according to the timeline, oldest first. */
async function notified(id: string): Promise<string[]> {
  const { body } = await here.organization.owner.http.get(`/api/v1/requests/${id}/timeline`);
  const events = body['events'] as unknown as {
    event_type: string;
    data: { membership_id?: string };
  }[];
  const names = new Map(
    [ben, cleo].map(({ membershipId }, index) => [membershipId, ['Ben', 'Cleo'][index]]),
  );
  return events
    .filter(({ event_type }) => event_type === 'approval_request.level_notified')
    .map(({ data }) => names.get(data.membership_id ?? '') ?? 'unknown');
}

const rowsOf = async (id: string): Promise<number> =>
  (await app.db('notifications').where({ request_id: id })).length;

describe('one person gets one message', () => {
  test('for a level that names them and a team whose policy asks them first; its next level sends another', async () => {
    const id = await askAt(
      level(
        [user(ben), team(await teamBy(level([user(ben)]), level([user(cleo), user(ben)])))],
        '1h',
      ),
    );
    expect(await messages()).toEqual([1, 0, 1]);
    expect(await notified(id)).toEqual(['Ben']);
    expect(await rowsOf(id)).toBe(2);
    await goOn(id);
    expect(await messages()).toEqual([2, 1, 2]);
    expect((await notified(id)).sort()).toEqual(['Ben', 'Ben', 'Cleo']);
  });

  test('for the policies of two teams that ask them at the same time, in first or later levels', async () => {
    const [one, other] = [
      await teamBy(level([user(ben)]), level([user(cleo)])),
      await teamBy(level([user(ben)]), level([{ type: 'broadcast' }])),
    ];
    const id = await askAt(level([team(one), team(other)], '1h'));
    expect(await messages()).toEqual([1, 0, 1]);
    await goOn(id);
    expect(await messages()).toEqual([2, 1, 2]);
    expect(await notified(id)).toEqual(['Ben', 'Cleo', 'Ben']);
    expect(await rowsOf(id)).toBe(5);
  });

  test('for a policy that also asks another person, without a second announcement of the level', async () => {
    const id = await askAt(
      level([user(ben), team(await teamBy(level([{ type: 'broadcast' }])))], '1h'),
    );
    expect(await messages()).toEqual([1, 1, 1]);
    expect(await notified(id)).toEqual(['Ben', 'Cleo']);
  });

  test('at each level, even if the next one starts at the same time', async () => {
    const id = await askAt(
      level([user(ben)], '1m'),
      level([team(await teamBy(level([user(ben)])))], '1m'),
    );
    expect(await messages()).toEqual([1, 0, 1]);
    await goOn(id);
    expect(await messages()).toEqual([2, 0, 2]);
    expect(await notified(id)).toEqual(['Ben', 'Ben']);
  });

  test('and one more when a colleague asks for their help at the same time', async () => {
    const { owner } = here.organization;
    const id = await askAt(level([user(cleo)]), level([user(ben)]));
    await goOn(id);
    const added = await owner.http.post(`/api/v1/requests/${id}/reviewers`, {
      membership_ids: [ben.membershipId],
    });
    expect(added.status).toBe(200);
    const instants = await app
      .db('notifications')
      .where({ request_id: id, membership_id: ben.membershipId })
      .pluck<Date[]>('created_at');
    expect(new Set(instants.map(Number)).size).toBe(1);
    expect(await messages()).toEqual([2, 1, 3]);
  });
});

/** What the default channel of Slack hears of requests. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask, decide, stepAt } from '../../support/scene/approval-requests.ts';
import { createAgent, type TestMember } from '../../support/scene/factories.ts';
import {
  asked,
  createDecider,
  createScene,
  deliver,
  deliveriesOf,
  newChannel,
  routeTo,
  type Scene,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { type SlackPost } from '../../support/servers/slack-server.ts';

const { app, slack } = await slackForFile();

beforeEach(() => {
  slack.misbehavior.clear();
});

const slackScene = (options: { readonly defaultChannel?: string } = {}): Promise<Scene> =>
  createScene(app, slack, options);
const lastOf = (channel: string): SlackPost | undefined => slack.postsTo(channel).at(-1);

describe('the default channel hears of a level', () => {
  test.each([
    [
      'wants nothing in Slack',
      'opted_out',
      ({ browser }: TestMember) =>
        browser.call('PUT', '/api/v1/me/notification_settings', {
          body: { email: true, slack: false },
        }),
    ],
    [
      'was suspended',
      'member_inactive',
      ({ membershipId }: TestMember) =>
        app.db('memberships').where({ id: membershipId }).update({ status: 'suspended' }),
    ],
    [
      'may no longer decide',
      'cannot_decide',
      ({ membershipId }: TestMember) =>
        app.db('permission_policies').where({ membership_id: membershipId }).delete(),
    ],
    [
      'has no linked Slack user',
      'not_linked',
      ({ browser }: TestMember) => browser.delete('/api/v1/me/slack'),
    ],
  ])('even if every person asked %s', async (_what, reason, lose) => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const id = await ask(app, here.agent);
    await lose(here.reviewer);
    await deliver(app);
    expect([slack.postsTo(`D${here.slackUser}`).length, slack.postsTo(channel).length]).toEqual([
      0, 1,
    ]);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { announces: false, dropped_reason: reason },
      { announces: true, delivered_at: expect.any(Date) },
    ]);
    expect((await decide(here.organization.owner.browser, id)).status).toBe(200);
    await deliver(app);
    expect(lastOf(channel)).toMatchObject({
      updates: 1,
      text: `Approved by ${here.organization.owner.displayName}: Deploy`,
    });
  });

  test('once for each level and each call for help, for any number of people, even if a step is repeated', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const others = await Promise.all(
      Array.from({ length: 4 }, () => createDecider(app, here.organization, here.agent)),
    );
    const [second, third, ...helpers] = others;
    if (!second || !third) throw new Error('no second or third member');
    await routeTo(here.organization, here.agent, [here.reviewer, second], [third]);
    const id = await ask(app, here.agent);
    await stepAt(app, id);
    await deliver(app);
    expect(slack.postsTo(channel)).toHaveLength(1);
    for (const { membershipId } of helpers) {
      const added = await here.reviewer.http.post(`/api/v1/requests/${id}/reviewers`, {
        membership_ids: [membershipId],
      });
      expect(added.status).toBe(200);
    }
    await deliver(app);
    expect(slack.postsTo(channel)).toHaveLength(3);
    const request = await app
      .db('approval_requests')
      .where({ id })
      .first<{ next_at: Date }>('next_at');
    await stepAt(app, id, request.next_at);
    await stepAt(app, id, request.next_at);
    await deliver(app);
    expect(slack.postsTo(channel)).toHaveLength(4);
    await decide(here.reviewer.browser, id);
    await deliver(app);
    expect(slack.postsTo(channel).map(({ updates }) => updates)).toEqual([1, 1, 1, 1]);
  });

  test('once when no path applies, even if more people may decide later', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const agent = await createAgent(app, here.organization);
    const id = await ask(app, agent);
    await createDecider(app, here.organization, agent);
    const count = async (): Promise<number> =>
      (await app.db('notifications').where({ request_id: id }).pluck('id')).length;
    const announced = await count();
    await stepAt(app, id);
    expect(await count()).toBe(announced + 1);
    await deliver(app);
    expect(slack.postsTo(channel)).toHaveLength(1);
  });

  test('not at all when there is no channel, or none at that moment', async () => {
    const without = await slackScene();
    expect(
      (await deliveriesOf(app, (await asked(without)).id)).map(({ announces }) => announces),
    ).toEqual([false]);
    const here = await slackScene({ defaultChannel: newChannel() });
    const id = await ask(app, here.agent);
    await app
      .db('slack_connections')
      .where({ organization_id: here.organization.id })
      .update({ default_channel: null });
    await deliver(app);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { announces: false, delivered_at: expect.any(Date) },
      { announces: true, dropped_reason: 'not_configured' },
    ]);
  });

  test('without any member in the list of messages', async () => {
    const here = await slackScene({ defaultChannel: newChannel() });
    const { id } = await asked(here);
    const { body } = await here.organization.owner.http.get('/api/v1/notification_deliveries');
    const listed = body['notification_deliveries'] as unknown as readonly Readonly<
      Record<string, unknown>
    >[];
    const about = listed.filter(
      (message) =>
        message['request_id'] === id && (message['channel'] as { kind: string }).kind === 'slack',
    );
    expect(about.map((message) => message['member'] === undefined).sort()).toEqual([false, true]);
  });
});

import { beforeEach, describe, expect, test } from '@jest/globals';
import { adapterOf, decide, reachDeadline } from '../../support/scene/approval-requests.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import {
  asked,
  createDecider,
  createScene,
  deliver,
  link,
  newChannel,
  newUser,
  click,
  type Scene,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { buttonsOf, type SlackPost } from '../../support/servers/slack-server.ts';
import { until } from '../../support/waiting.ts';
import { startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { ROUNDS } from '../../support/rounds.ts';

const { app, slack } = await slackForFile();

/** For the tests that leave its people and settings as they are. */
const here = await createScene(app, slack);

beforeEach(() => {
  slack.misbehavior.clear();
});

const slackScene = (options: { readonly defaultChannel?: string } = {}): Promise<Scene> =>
  createScene(app, slack, options);
const lastOf = (channel: string): SlackPost | undefined => slack.postsTo(channel).at(-1);
const read = async (member: TestMember, id: string) =>
  (await member.http.get(`/api/v1/requests/${id}`)).body;

describe('a person asked in Slack', () => {
  test('decides by a button: the adapter gets the answer, the record names person and channel, the message shows it', async () => {
    const here = await slackScene();
    const { id, post } = await asked(here);
    expect(JSON.stringify(post.blocks)).toContain('\\"amount\\": 120');
    expect(await click(here, post, 'Approve')).toBe(`Approved by ${here.reviewer.displayName}.`);

    const answer = await adapterOf(app, here.agent).get(`/api/aap/v1/requests/${id}`);
    expect(answer.body['status']).toBe('approved');
    const { decision } = await read(here.reviewer, id);
    expect(decision).toMatchObject({
      membership_id: here.reviewer.membershipId,
      status: 'approved',
      channel: 'slack',
      reviewer_email: here.reviewer.email,
      authentication: {
        method: 'slack',
        assurance: 'single_factor',
        authenticated_at: expect.any(String),
      },
    });
    expect(decision?.['authentication']).not.toHaveProperty('session_id');
    const queue = await here.organization.owner.browser.get(`/api/v1/requests?status=approved`);
    expect(queue.body['requests']?.[0]?.['decision']?.['channel']).toBe('slack');
    const event = await app
      .db('audit_events')
      .where({ subject_id: id, event_type: 'approval_request.approved' })
      .first();
    expect(event).toMatchObject({
      actor_type: 'human',
      actor_id: here.reviewer.membershipId,
      data: '{"channel":"slack"}',
    });

    await deliver(app);
    const shown = lastOf(post.channel);
    expect(shown).toMatchObject({
      ts: post.ts,
      updates: 1,
      text: `Approved by ${here.reviewer.displayName}: Refund 120`,
    });
    expect(Object.keys(buttonsOf(shown ?? post))).toEqual(['Open']);
    expect(slack.postsTo(post.channel)).toHaveLength(1);
  });

  test('who clicks twice, or on both buttons, gets the outcome of the first click', async () => {
    const { id, post } = await asked(here);
    const said = await click(here, post, 'Deny');
    expect(await click(here, post, 'Deny')).toBe(said);
    expect(await click(here, post, 'Approve')).toBe(`This request is already closed. ${said}`);
    expect((await read(here.reviewer, id))['status']).toBe('denied');
  });

  test('and another who click at the same moment get one decision', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, post } = await asked(here);
      const said = slack.ephemeralTexts.length;
      const buttons = [buttonsOf(post)['Approve'], buttonsOf(post)['Deny']];
      await Promise.all(buttons.map((button) => here.caller.click(here.slackUser, button)));
      await slack.ephemeralText(said + 2);
      expect(
        slack.ephemeralTexts
          .slice(said)
          .filter((text) => text.startsWith('This request is already closed')),
      ).toHaveLength(1);
      expect(await app.db('decisions').where({ request_id: id })).toHaveLength(1);
    }
  });

  test('is too late after the deadline', async () => {
    const { id, post } = await asked(here);
    await reachDeadline(app, id);
    expect(await click(here, post, 'Approve')).toBe(
      'This request is already closed. Expired without a decision.',
    );
    await deliver(app);
    expect(lastOf(post.channel)?.text).toBe('Expired without a decision: Refund 120');
  });

  test.each([
    [
      'was decided in the browser',
      'Denied by',
      async ({ reviewer }: Scene, id: string) => decide(reviewer.browser, id, { status: 'denied' }),
    ],
    [
      'was cancelled by the agent',
      'Cancelled by the agent',
      ({ agent }: Scene, id: string) => adapterOf(app, agent).delete(`/api/aap/v1/requests/${id}`),
    ],
  ])('sees in the message that the request %s', async (_what, text, end) => {
    const { id, post } = await asked(here);
    expect((await end(here, id)).status).toBe(200);
    await deliver(app);
    expect(lastOf(post.channel)?.text).toContain(text);
    expect(await click(here, post, 'Approve')).toContain('This request is already closed.');
  });

  test('gets no text from an agent that could pass for a mention or for our link', async () => {
    const { post } = await asked(here, {
      text: '<!channel> <https://evil.example|Approve> <@UEVIL>',
    });
    expect(post.text).not.toMatch(/<|>/);
    expect(JSON.stringify(post.blocks)).not.toContain('mrkdwn');
    expect(post.fields).toMatchObject({
      mrkdwn: 'false',
      parse: 'none',
      link_names: 'false',
      unfurl_links: 'false',
      unfurl_media: 'false',
    });
  });
});

describe('a button', () => {
  const untouched = async (here: Scene, id: string): Promise<void> => {
    expect((await read(here.organization.owner, id))['status']).toBe('pending');
    expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
  };

  test('clicked by a Slack user without a link is refused', async () => {
    const { id, post } = await asked(here);
    expect(await click(here, post, 'Approve', newUser())).toContain('not linked to a member');
    await untouched(here, id);
  });

  test.each([
    [
      'was suspended',
      'not active',
      ({ membershipId }: TestMember) =>
        app.db('memberships').where({ id: membershipId }).update({ status: 'suspended' }),
    ],
    [
      'was removed',
      'not active',
      ({ membershipId }: TestMember) =>
        app.db('memberships').where({ id: membershipId }).update({ status: 'deprovisioned' }),
    ],
    [
      'lost the permission',
      'do not have permission to decide',
      ({ membershipId }: TestMember) =>
        app.db('permission_policies').where({ membership_id: membershipId }).delete(),
    ],
    [
      'may decide for other agents but not for this one',
      'do not have permission to decide',
      ({ membershipId }: TestMember) =>
        app
          .db('permission_policies')
          .where({ membership_id: membershipId })
          .update({ permissions: ['request.decide.unrouted', 'request.read'] }),
    ],
    [
      'removed the link',
      'not linked to a member',
      ({ browser }: TestMember) => browser.delete('/api/v1/me/slack'),
    ],
  ])('clicked by a member who %s a moment ago is refused', async (_what, text, lose) => {
    const here = await slackScene();
    const { id, post } = await asked(here);
    await lose(here.reviewer);
    expect(await click(here, post, 'Approve')).toContain(text);
    await untouched(here, id);
  });

  test('clicked by a linked member who was not asked is refused', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const bystander = await createDecider(app, here.organization, here.agent);
    const user = newUser();
    await link(here.caller, bystander, user);
    const { id, post } = await asked(here);
    expect(await click(here, post, 'Approve', user)).toContain('so nothing was decided');
    const posted = lastOf(channel) ?? post;
    expect(await click(here, posted, 'Approve', user)).toContain(
      'do not have permission to decide',
    );
    await untouched(here, id);
  });

  test('decides nothing when the organization requires a second factor, and the answer says where to decide', async () => {
    const here = await slackScene();
    const { id, post } = await asked(here);
    await app.db('organizations').where({ id: here.organization.id }).update({ require_mfa: true });
    const said = await click(here, post, 'Approve');
    expect(said).toContain('second factor');
    expect(said).toContain(`${app.url}/requests/${id}`);
    await untouched(here, id);
  });

  test('is absent when the organization requires a second factor: the message links to the browser', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    await app.db('organizations').where({ id: here.organization.id }).update({ require_mfa: true });
    const { id, post } = await asked(here);
    for (const each of [post, lastOf(channel)]) {
      const buttons = buttonsOf(each ?? { ...post, blocks: [] });
      expect(buttons).toEqual({
        Open: expect.objectContaining({ url: `${app.url}/requests/${id}` }),
      });
      expect(JSON.stringify(each?.blocks)).toContain('open the request to decide');
    }
    await app
      .db('organizations')
      .where({ id: here.organization.id })
      .update({ require_mfa: false });
    expect(Object.keys(buttonsOf((await asked(here)).post))).toEqual([
      'Approve',
      'Deny',
      'Deny with a note',
      'Open',
    ]);
  });

  test('with the request id of another organization gets the same refusal as an unknown one', async () => {
    const there = await slackScene();
    const foreign = await asked(there);
    const { post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    await here.caller.click(here.slackUser, { ...buttonsOf(post)['Approve'], value: foreign.id });
    expect(await slack.ephemeralText(said + 1)).toContain(
      'There is no such request, or you do not have permission to decide it.',
    );
    await untouched(there, foreign.id);
  });

  test('clicked by a user of another workspace is refused, even with the same user id', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    const clickAs = async (user: object, more: Readonly<Record<string, string>> = {}) => {
      const form = new URLSearchParams(
        here.caller.clickForm(here.slackUser, buttonsOf(post)['Approve']),
      );
      const payload = JSON.parse(form.get('payload') ?? '{}') as Record<string, unknown>;
      const changed = { ...payload, user: { id: here.slackUser, ...user } };
      return await here.caller.send(
        '/auth/slack/interactions',
        new URLSearchParams({ ...more, payload: JSON.stringify(changed) }).toString(),
      );
    };
    for (const team_id of ['T9999', '', 7, null]) {
      const before = slack.ephemeralTexts.length;
      expect((await clickAs({ team_id })).status).toBe(200);
      expect(await slack.ephemeralText(before + 1)).toContain('not linked to a member');
    }
    expect((await clickAs({}, { team_id: 'T9999' })).status).toBe(401);
    const typed = here.caller.commandForm(here.slackUser, 'unlink');
    expect((await here.caller.send('/auth/slack/commands', `${typed}&team_id=T9999`)).status).toBe(
      401,
    );
    await untouched(here, id);
    expect((await clickAs({ team_id: here.workspace.teamId })).status).toBe(200);
    expect(await slack.ephemeralText(said + 5)).toContain('Approved');
  });

  test('of an unknown kind, or that only opens the browser, is accepted and does nothing', async () => {
    const { id, post } = await asked(here);
    for (const button of [
      buttonsOf(post)['Open'],
      { action_id: 'evil', value: id },
      { action_id: 'countersign_approve', value: 'x' },
      undefined,
    ]) {
      expect((await here.caller.click(here.slackUser, button)).status).toBe(200);
    }
    await untouched(here, id);
  });

  test('is acknowledged before the answer is posted, because Slack waits only three seconds', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    const release = slack.holdNext('response');
    expect((await here.caller.click(here.slackUser, buttonsOf(post)['Approve'])).status).toBe(200);
    await until(
      'it is decided',
      async () => (await read(here.reviewer, id))['status'] === 'approved',
    );
    expect(slack.ephemeralTexts.length).toBe(said);
    release();
    await slack.ephemeralText(said + 1);
  });

  test('is answered only at Slack, whatever address the call contains', async () => {
    const elsewhere = await startWebhookReceiver();
    const { id, post } = await asked(here);
    const body = new URLSearchParams(
      here.caller.clickForm(here.slackUser, buttonsOf(post)['Approve']),
    );
    const payload = JSON.parse(body.get('payload') ?? '{}') as Record<string, unknown>;
    const form = new URLSearchParams({
      payload: JSON.stringify({ ...payload, response_url: elsewhere.url }),
    }).toString();
    expect((await here.caller.send('/auth/slack/interactions', form)).status).toBe(200);
    await until('the person is told in their conversation with the bot', () =>
      slack.posts.some(({ text }) => text === `Approved by ${here.reviewer.displayName}.`),
    );
    expect((await read(here.reviewer, id))['status']).toBe('approved');
    await elsewhere.close();
    expect(elsewhere.received).toEqual([]);
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sendDue } from '../../src/services/notifications/send-loop.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { adapterOf, ask, decide, reachDeadline, stepAt } from '../support/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../support/factories.ts';
import { buttonsOf, SlackCaller, SlackServer, type SlackPost, type Workspace } from '../support/slack-server.ts';

const slack = new SlackServer();
const SECRETS_KEY = randomBytes(32).toString('base64');
const environment = () => ({ ...slack.environment, COUNTERSIGN_SECRETS_KEY: SECRETS_KEY, COUNTERSIGN_CREATE_BUDGET: '1s' });
let app: TestApp;

beforeAll(async () => {
  await slack.start();
  app = await startApp({ environment: environment() });
});

beforeEach(() => {
  slack.misbehaviour.clear();
});

afterAll(async () => {
  await app.close();
  await slack.stop();
});

interface Scene {
  readonly organization: TestOrganization;
  readonly agent: TestAgent;
  readonly workspace: Workspace;
  readonly caller: SlackCaller;
  /** Asked by the path, and linked. */
  readonly reviewer: TestMember;
  readonly slackUser: string;
}

const DEFAULT_CHANNEL = () => `C${randomBytes(5).toString('hex').toUpperCase()}`;
const decider = (app: TestApp, { id }: TestOrganization, agent: TestAgent): Promise<TestMember> =>
  createMember(app, id, {
    policies: [{ scope_kind: 'agent', resource_ids: [agent.slug], permissions: ['request.decide', 'request.read'] }],
  });

/** An organization whose requests go to one linked reviewer. */
async function scene({ defaultChannel = null }: { defaultChannel?: string | null } = {}): Promise<Scene> {
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const reviewer = await decider(app, organization, agent);
  const workspace = slack.addWorkspace();
  const { botToken: bot_token, signingSecret: signing_secret } = workspace;
  const body = { bot_token, signing_secret, default_channel: defaultChannel };
  expect((await organization.owner.browser.call('PUT', '/api/v1/slack', { body })).status).toBe(200);
  const caller = new SlackCaller(app.url, slack, workspace);
  const slackUser = newUser();
  await link(caller, reviewer, slackUser);
  await routeTo(organization, agent, [reviewer]);
  return { organization, agent, workspace, caller, reviewer, slackUser };
}

const newUser = (): string => `U${randomBytes(5).toString('hex').toUpperCase()}`;

async function link(caller: SlackCaller, member: TestMember, slackUser: string): Promise<void> {
  const begun = await member.browser.post('/api/v1/me/slack/link');
  const answer = await caller.command(slackUser, `link ${String(begun.body['code'])}`);
  expect(answer.text).toContain('Linked');
}

async function routeTo({ owner }: TestOrganization, agent: TestAgent, members: readonly TestMember[]): Promise<void> {
  const targets = members.map(({ membershipId }) => ({ type: 'user', id: membershipId }));
  const path_key = `path-${randomUUID().slice(0, 8)}`;
  const nodes = [{ id: randomUUID(), type: 'level', targets, escalate_after: '15m' }];
  await activatePath(owner, { path_key, name: 'On call', nodes });
  await activatePipeline(owner, `agents/${agent.slug}`, {
    blocks: [
      {
        id: 'people',
        name: 'People',
        type: 'always',
        config: { outcome: 'human', reason: 'Refunds over 100 <!channel>', escalation_path: path_key },
      },
    ],
    default_escalation_path: path_key,
  });
}

/** Sends until nothing is due. Failed messages are made due again first. */
async function deliver(through: TestApp = app): Promise<void> {
  await app
    .db('notification_deliveries')
    .whereNotNull('next_attempt_at')
    .update({ next_attempt_at: new Date(Date.now() - 1_000) });
  while ((await sendDue(through.context)) > 0);
}

/** By an administrator, over the API. */
async function sendAgain({ organization: { owner } }: Scene, requestId: string): Promise<void> {
  const dead = (await app
    .db('notification_deliveries')
    .where({ request_id: requestId })
    .whereNotNull('dead_at')
    .pluck('id')) as readonly string[];
  for (const id of dead) expect((await owner.http.post(`/api/v1/notification_deliveries/${id}/retry`)).status).toBe(200);
  await deliver();
}

async function asked(what: Scene, args: unknown = { amount: 120 }): Promise<{ id: string; post: SlackPost }> {
  const id = await ask(app, what.agent, { tool: 'refund', arguments: args });
  await deliver();
  const [post] = slack.postsTo(`D${what.slackUser}`).slice(-1);
  if (!post) throw new Error('nobody was told in Slack');
  return { id, post };
}

const lastOf = (channel: string): SlackPost | undefined => slack.postsTo(channel).at(-1);
const read = async (member: TestMember, id: string) => (await member.http.get(`/api/v1/requests/${id}`)).body;
const deliveriesOf = async (id: string): Promise<Record<string, unknown>[]> =>
  await app
    .db('notification_deliveries as d')
    .join('notification_channels as c', 'c.id', 'd.channel_id')
    .where({ 'd.request_id': id, 'c.kind': 'slack' })
    .orderBy('d.created_at')
    .select('d.event', 'd.attempts', 'd.last_error', 'd.dropped_reason', 'd.delivered_at', 'd.dead_at', 'd.next_attempt_at');

async function press(what: Scene, post: SlackPost, label: 'Approve' | 'Deny', user = what.slackUser): Promise<string> {
  const said = slack.whispers.length;
  const started = performance.now();
  expect((await what.caller.press(user, buttonsOf(post)[label])).status).toBe(200);
  expect(performance.now() - started).toBeLessThan(3_000);
  return await slack.whispered(said + 1);
}

describe('somebody asked in Slack', () => {
  test('decides by a button: the adapter gets the answer, the record names him and the channel, the message shows it', async () => {
    const here = await scene();
    const { id, post } = await asked(here);
    expect(JSON.stringify(post.blocks)).toContain('{\\"amount\\":120}');
    expect(await press(here, post, 'Approve')).toBe(`Approved by ${here.reviewer.displayName}.`);

    const told = await adapterOf(app, here.agent).get(`/api/aap/v1/requests/${id}`);
    expect(told.body['status']).toBe('approved');
    const { decision } = await read(here.reviewer, id);
    expect(decision).toMatchObject({
      membership_id: here.reviewer.membershipId,
      status: 'approved',
      channel: 'slack',
      reviewer_email: here.reviewer.email,
      authentication: { method: 'slack', assurance: 'single_factor', authenticated_at: expect.any(String) },
    });
    expect(decision?.['authentication']).not.toHaveProperty('session_id');
    const queue = await here.organization.owner.browser.get(`/api/v1/requests?status=approved`);
    expect(queue.body['requests']?.[0]?.['decision']?.['channel']).toBe('slack');
    const event = await app.db('audit_events').where({ subject_id: id, event_type: 'approval_request.approved' }).first();
    expect(event).toMatchObject({ actor_type: 'human', actor_id: here.reviewer.membershipId, data: '{"channel":"slack"}' });

    await deliver();
    const shown = lastOf(post.channel);
    expect(shown).toMatchObject({ ts: post.ts, updates: 1, text: `Approved by ${here.reviewer.displayName}: refund` });
    expect(Object.keys(buttonsOf(shown ?? post))).toEqual(['Open']);
    expect(slack.postsTo(post.channel)).toHaveLength(1);
  });

  test('who presses twice, or both buttons, is told what the first press came to', async () => {
    const here = await scene();
    const { id, post } = await asked(here);
    const said = await press(here, post, 'Deny');
    expect(await press(here, post, 'Deny')).toBe(said);
    expect(await press(here, post, 'Approve')).toBe(`Nothing was changed. ${said}`);
    expect((await read(here.reviewer, id))['status']).toBe('denied');
  });

  test('of two who press at the same moment one decides, 20 times', async () => {
    const here = await scene();
    for (let round = 0; round < 20; round++) {
      const { id, post } = await asked(here);
      const said = slack.whispers.length;
      const buttons = [buttonsOf(post)['Approve'], buttonsOf(post)['Deny']];
      await Promise.all(buttons.map((button) => here.caller.press(here.slackUser, button)));
      await slack.whispered(said + 2);
      expect(slack.whispers.slice(said).filter((text) => text.startsWith('Nothing was changed'))).toHaveLength(1);
      expect(await app.db('decisions').where({ request_id: id })).toHaveLength(1);
    }
  });

  test('comes too late where the deadline has passed', async () => {
    const here = await scene();
    const { id, post } = await asked(here);
    await reachDeadline(app, id);
    expect(await press(here, post, 'Approve')).toBe('Nothing was changed. Expired without a decision.');
    await deliver();
    expect(lastOf(post.channel)?.text).toBe('Expired without a decision: refund');
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
    const here = await scene();
    const { id, post } = await asked(here);
    expect((await end(here, id)).status).toBe(200);
    await deliver();
    expect(lastOf(post.channel)?.text).toContain(text);
    expect(await press(here, post, 'Approve')).toContain('Nothing was changed.');
  });

  test('gets nothing that could pass for a mention or a link of ours, whatever the agent sent', async () => {
    const here = await scene();
    const { post } = await asked(here, { text: '<!channel> <https://evil.example|Approve> <@UEVIL>' });
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

  test('pressed by somebody who linked no member is refused', async () => {
    const here = await scene();
    const { id, post } = await asked(here);
    expect(await press(here, post, 'Approve', newUser())).toContain('linked to no member');
    await untouched(here, id);
  });

  test.each([
    [
      'was suspended',
      'not active',
      ({ membershipId }: TestMember) => app.db('memberships').where({ id: membershipId }).update({ status: 'suspended' }),
    ],
    [
      'was removed',
      'not active',
      ({ membershipId }: TestMember) => app.db('memberships').where({ id: membershipId }).update({ status: 'deprovisioned' }),
    ],
    [
      'lost his permission',
      'may not decide',
      ({ membershipId }: TestMember) => app.db('permission_policies').where({ membership_id: membershipId }).delete(),
    ],
    [
      'may decide for others but not for himself',
      'may not decide',
      ({ membershipId }: TestMember) =>
        app
          .db('permission_policies')
          .where({ membership_id: membershipId })
          .update({ permissions: ['request.decide.unrouted', 'request.read'] }),
    ],
    ['ended his link', 'linked to no member', ({ browser }: TestMember) => browser.delete('/api/v1/me/slack')],
  ])('pressed by somebody who %s a moment ago is refused', async (_what, text, lose) => {
    const here = await scene();
    const { id, post } = await asked(here);
    await lose(here.reviewer);
    expect(await press(here, post, 'Approve')).toContain(text);
    await untouched(here, id);
  });

  test('pressed by a linked member the path does not name is refused', async () => {
    const here = await scene();
    const bystander = await decider(app, here.organization, here.agent);
    const user = newUser();
    await link(here.caller, bystander, user);
    const { id, post } = await asked(here);
    expect(await press(here, post, 'Approve', user)).toContain('may not decide');
    await untouched(here, id);
  });

  test('decides nothing where the organization requires a second factor, and says where one can', async () => {
    const here = await scene();
    const { id, post } = await asked(here);
    await app.db('organizations').where({ id: here.organization.id }).update({ require_mfa: true });
    const said = await press(here, post, 'Approve');
    expect(said).toContain('second factor');
    expect(said).toContain(`${app.url}/requests/${id}`);
    await untouched(here, id);
  });

  test("with the id of another organization's request says no more than that he may not", async () => {
    const [here, there] = [await scene(), await scene()];
    const foreign = await asked(there);
    const { post } = await asked(here);
    const said = slack.whispers.length;
    await here.caller.press(here.slackUser, { ...buttonsOf(post)['Approve'], value: foreign.id });
    expect(await slack.whispered(said + 1)).toContain('may not decide');
    await untouched(there, foreign.id);
  });

  test('of an unknown kind, and one that opens the browser, is taken and does nothing', async () => {
    const here = await scene();
    const { id, post } = await asked(here);
    for (const button of [
      buttonsOf(post)['Open'],
      { action_id: 'evil', value: id },
      { action_id: 'countersign_approve', value: 'x' },
      undefined,
    ]) {
      expect((await here.caller.press(here.slackUser, button)).status).toBe(200);
    }
    await untouched(here, id);
  });

  test('is answered nowhere but at Slack, whatever address the call names', async () => {
    const here = await scene();
    const { id, post } = await asked(here);
    const body = new URLSearchParams(here.caller.pressForm(here.slackUser, buttonsOf(post)['Approve']));
    const payload = JSON.parse(body.get('payload') ?? '{}') as Record<string, unknown>;
    const said = slack.whispers.length;
    const form = new URLSearchParams({ payload: JSON.stringify({ ...payload, response_url: 'http://169.254.169.254/latest' }) }).toString();
    expect((await here.caller.send('/auth/slack/interactions', form)).status).toBe(200);
    expect((await read(here.reviewer, id))['status']).toBe('approved');
    expect(slack.whispers.length).toBe(said);
    expect(app.log.join('')).toContain('foreign_response_url');
  });
});

describe('messages', () => {
  test('go to the people asked who are linked, and once to the default channel', async () => {
    const channel = DEFAULT_CHANNEL();
    const here = await scene({ defaultChannel: channel });
    const [second, unlinked] = [await decider(app, here.organization, here.agent), await decider(app, here.organization, here.agent)];
    const user = newUser();
    await link(here.caller, second, user);
    await routeTo(here.organization, here.agent, [here.reviewer, second, unlinked]);
    const { id } = await asked(here);
    expect([channel, `D${here.slackUser}`, `D${user}`].map((each) => slack.postsTo(each).length)).toEqual([1, 1, 1]);
    const inChannel = lastOf(channel);
    if (!inChannel) throw new Error('nothing in the channel');
    expect(await press(here, inChannel, 'Deny', user)).toBe(`Denied by ${second.displayName}.`);
    await deliver();
    for (const each of [channel, `D${here.slackUser}`, `D${user}`]) expect(lastOf(each)).toMatchObject({ updates: 1 });
    expect((await read(here.reviewer, id))['decision']).toMatchObject({ reviewer_display_name: second.displayName });
  });

  test('to somebody who linked no Slack user are dropped with the reason', async () => {
    const here = await scene();
    await here.reviewer.browser.delete('/api/v1/me/slack');
    const id = await ask(app, here.agent);
    await deliver();
    expect(await deliveriesOf(id)).toMatchObject([{ event: 'notified', dropped_reason: 'not_linked' }]);
  });

  test('are sent once by two processes that look at the same moment', async () => {
    const channel = DEFAULT_CHANNEL();
    const here = await scene({ defaultChannel: channel });
    const others = await Promise.all(Array.from({ length: 5 }, () => decider(app, here.organization, here.agent)));
    await routeTo(here.organization, here.agent, [here.reviewer, ...others]);
    const second = await startApp({ databaseUrl: app.databaseUrl, environment: environment() });
    try {
      for (let round = 1; round <= 10; round++) {
        await ask(app, here.agent);
        await Promise.all([app, second, app, second].map(({ context }) => sendDue(context)));
        expect([slack.postsTo(channel).length, slack.postsTo(`D${here.slackUser}`).length]).toEqual([round, round]);
      }
    } finally {
      await second.close();
    }
  });

  test('survive an outage of Slack, also between two of them, and none is doubled', async () => {
    const channel = DEFAULT_CHANNEL();
    const here = await scene({ defaultChannel: channel });
    await slack.stop();
    const id = await ask(app, here.agent);
    await deliver();
    expect(await deliveriesOf(id)).toMatchObject([{ event: 'notified', last_error: 'no_answer', delivered_at: null, dead_at: null }]);
    await slack.start();
    slack.misbehaviour.set('conversations.open', { kind: 'status', status: 502 });
    await deliver();
    expect((await deliveriesOf(id))[0]).toMatchObject({ last_error: 'http_502' });
    slack.misbehaviour.clear();
    await deliver();
    expect([slack.postsTo(channel).length, slack.postsTo(`D${here.slackUser}`).length]).toEqual([1, 1]);
    const [post] = slack.postsTo(`D${here.slackUser}`);
    if (!post) throw new Error('not told');
    await slack.stop();
    expect((await decide(here.reviewer.browser, id)).status).toBe(200);
    await deliver();
    await slack.start();
    await deliver();
    expect([lastOf(channel)?.updates, lastOf(`D${here.slackUser}`)?.updates]).toEqual([1, 1]);
    expect((await deliveriesOf(id)).every((delivery) => delivery['delivered_at'] !== null)).toBe(true);
  });

  test('to the person are not repeated because the one to the channel failed', async () => {
    const channel = DEFAULT_CHANNEL();
    const here = await scene({ defaultChannel: channel });
    const direct = `D${here.slackUser}`;
    const id = await ask(app, here.agent);
    slack.archived.add(channel);
    await deliver();
    slack.archived.clear();
    expect([slack.postsTo(direct).length, slack.postsTo(channel).length]).toEqual([1, 0]);
    expect(await deliveriesOf(id)).toMatchObject([{ last_error: 'is_archived', attempts: 1, dead_at: expect.any(Date) }]);
    await sendAgain(here, id);
    expect([slack.postsTo(direct).length, slack.postsTo(channel).length]).toEqual([1, 1]);
    expect(await deliveriesOf(id)).toMatchObject([{ event: 'notified', attempts: 1, dead_at: null, delivered_at: expect.any(Date) }]);
  });

  test('to the channel go out although the person cannot be reached any more', async () => {
    const channel = DEFAULT_CHANNEL();
    const here = await scene({ defaultChannel: channel });
    slack.misbehaviour.set('conversations.open', { kind: 'error', error: 'user_not_found' });
    const id = await ask(app, here.agent);
    await deliver();
    expect([slack.postsTo(`D${here.slackUser}`).length, slack.postsTo(channel).length]).toEqual([0, 1]);
    expect(await deliveriesOf(id)).toMatchObject([{ last_error: 'user_not_found', attempts: 1, dead_at: expect.any(Date) }]);
    slack.misbehaviour.clear();
    await sendAgain(here, id);
    expect([slack.postsTo(`D${here.slackUser}`).length, slack.postsTo(channel).length]).toEqual([1, 1]);
  });

  test('go to a new conversation where the one before is gone', async () => {
    const here = await scene();
    const { membershipId } = here.reviewer;
    await app.db('slack_links').where({ membership_id: membershipId }).update({ direct_channel: 'DGONE' });
    slack.gone.add('DGONE');
    const { post } = await asked(here);
    expect(post.channel).toBe(`D${here.slackUser}`);
    expect(await app.db('slack_links').where({ membership_id: membershipId }).pluck('direct_channel')).toEqual([`D${here.slackUser}`]);
  });

  test('wait as long as Slack says when it limits them', async () => {
    const here = await scene();
    slack.misbehaviour.set('chat.postMessage', { kind: 'limited', retryAfter: 900 });
    const id = await ask(app, here.agent);
    await deliver();
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ last_error: 'ratelimited', attempts: 1 });
    expect((delivery?.['next_attempt_at'] as Date).getTime()).toBeGreaterThan(Date.now() + 880_000);
  });

  test.each(['account_inactive', 'channel_not_found', 'invalid_auth', 'missing_scope', 'msg_too_long', 'not_in_channel', 'token_revoked'])(
    'Slack refuses with %s are dead at once, and delivered when somebody sends them again',
    async (error) => {
      const here = await scene();
      slack.misbehaviour.set('chat.postMessage', { kind: 'error', error });
      const id = await ask(app, here.agent);
      await deliver();
      expect(await deliveriesOf(id)).toMatchObject([{ last_error: error, attempts: 1, dead_at: expect.any(Date) }]);
      slack.misbehaviour.clear();
      await sendAgain(here, id);
      expect(await deliveriesOf(id)).toMatchObject([{ delivered_at: expect.any(Date), dead_at: null }]);
      expect(slack.postsTo(`D${here.slackUser}`)).toHaveLength(1);
    },
  );

  test.each(['internal_error', 'service_unavailable', 'ratelimited', 'org_login_required'])(
    'Slack cannot take because of %s are tried again',
    async (error) => {
      const here = await scene();
      slack.misbehaviour.set('chat.postMessage', { kind: 'error', error });
      const id = await ask(app, here.agent);
      await deliver();
      expect(await deliveriesOf(id)).toMatchObject([{ last_error: error, attempts: 1, dead_at: null }]);
    },
  );

  test('that somebody deleted in Slack hold up no answer in the others', async () => {
    const channel = DEFAULT_CHANNEL();
    const here = await scene({ defaultChannel: channel });
    const { id, post } = await asked(here);
    slack.posts.splice(slack.posts.indexOf(post), 1);
    await decide(here.reviewer.browser, id);
    await deliver();
    expect(lastOf(channel)).toMatchObject({ updates: 1 });
    expect((await deliveriesOf(id)).at(-1)).toMatchObject({ event: 'decided', delivered_at: expect.any(Date) });
  });

  test('are not sent when the request was decided before their turn came', async () => {
    const here = await scene();
    const id = await ask(app, here.agent);
    await decide(here.reviewer.browser, id);
    await stepAt(app, id);
    await deliver();
    expect(slack.postsTo(`D${here.slackUser}`)).toEqual([]);
  });

  test('name no secret in any log, delivery or answer', async () => {
    const here = await scene();
    await asked(here);
    const kept = JSON.stringify([await app.db('notification_deliveries'), await app.db('slack_messages'), await app.db('audit_events')]);
    for (const secret of [here.workspace.botToken, here.workspace.signingSecret]) {
      expect(app.log.join('')).not.toContain(secret);
      expect(kept).not.toContain(secret);
    }
  });
});

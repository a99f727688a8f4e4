/** A call does nothing when its session, key or Slack link ends while it waits for the request. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { lockRequests } from '../../../src/data/requests/engine/lock.ts';
import { sendDue } from '../../support/outbox.ts';
import { outcome } from '../../support/refusals.ts';
import { scene } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { claim, claimed, holdersOf, release, verbsOf } from '../../support/scene/claims.ts';
import { createAgent, createMember, type TestMember } from '../../support/scene/factories.ts';
import { through } from '../../support/gates.ts';
import { ofMember, policiesOf } from '../../support/scene/permission-policies.ts';
import type { ApiResponse, HttpClient } from '../../support/http.ts';
import { buttonsOf, SlackCaller, SlackServer } from '../../support/servers/slack-server.ts';
import { untilBlocked } from '../../support/waiting.ts';

const REVIEWER = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide', 'request.claim'] },
] as const;

const slack = new SlackServer();

await slack.start();
const { app, organization } = await scene({
  app: {
    environment: {
      ...slack.environment,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
});
const agent = await createAgent(app, organization);
const bob = await createMember(app, organization.id, { policies: REVIEWER });
afterAll(async () => {
  await slack.stop();
});

interface Act {
  readonly act: (client: HttpClient, id: string) => Promise<ApiResponse>;
  /** The caller must hold the claim. */
  readonly claimed?: true;
}

const acts: Readonly<Record<string, Act>> = {
  decides: { act: (client, id) => decide(client, id) },
  claims: { act: claim },
  'releases the claim': { act: release, claimed: true },
  'adds a reviewer': {
    act: (client, id) =>
      client.post(`/api/v1/requests/${id}/reviewers`, { membership_ids: [bob.membershipId] }),
  },
};
const ACTS = Object.entries(acts);

async function revokeKey({ membershipId, browser }: TestMember): Promise<ApiResponse> {
  const [id] = await app
    .db('api_keys')
    .where({ membership_id: membershipId })
    .pluck<string[]>('id');
  return await browser.delete(`/api/v1/me/api_keys/${String(id)}`);
}

const ENDS: readonly (readonly [
  string,
  (member: TestMember) => HttpClient,
  (member: TestMember) => Promise<unknown>,
])[] = [
  ['who signs out', ({ browser }) => browser, ({ browser }) => browser.post('/auth/logout')],
  ['who revokes the key', ({ http }) => http, revokeKey],
  [
    'whose key expires',
    ({ http }) => http,
    ({ membershipId }) =>
      app.db('api_keys').where({ membership_id: membershipId }).update({ expires_at: new Date() }),
  ],
  [
    'whose session expires',
    ({ browser }) => browser,
    ({ membershipId }) =>
      app.db('sessions').where({ membership_id: membershipId }).update({ expires_at: new Date() }),
  ],
];

describe.each(ENDS)('a caller %s while waiting for the request', (_how, client, end) => {
  test.each(ACTS)('%s: refused, and nothing is written', async (_what, { act, ...needs }) => {
    const member = await createMember(app, organization.id, { policies: REVIEWER });
    const id = await ask(app, agent);
    if (needs.claimed) await claimed(client(member), id);
    const before = await verbsOf(app, id);
    const { acted } = await app.db.transaction(async (trx) => {
      await lockRequests(trx, [id]);
      const call = act(client(member), id);
      await untilBlocked(trx);
      await end(member);
      return { acted: call };
    });
    expect(outcome(await acted)).toBe('401 authentication_required');
    expect(await verbsOf(app, id)).toEqual(before);
  });
});

test('a caller whose rights are withdrawn before a release is written keeps the claim', async () => {
  const member = await createMember(app, organization.id, { policies: REVIEWER });
  const id = await ask(app, agent);
  await claimed(member.http, id);
  const before = await verbsOf(app, id);
  const { browser } = organization.owner;
  const [policy] = await policiesOf(ofMember(member), browser);
  const happens = () => browser.delete(`${ofMember(member)}/${String(policy?.id)}`);
  const gate = { of: 'from organizations o', at: 'before', happens } as const;
  const answer = await through(app, gate, () => release(member.http, id));
  expect(outcome(answer)).toBe('403 permission_denied');
  expect(await verbsOf(app, id)).toEqual(before);
  expect(await holdersOf(app, id)).toEqual([member.membershipId]);
});

test('a person whose Slack link ends during a button click decides nothing and reads that they are not linked', async () => {
  const workspace = slack.addWorkspace();
  const { botToken: bot_token, signingSecret: signing_secret } = workspace;
  const connected = await organization.owner.browser.call('PUT', '/api/v1/slack', {
    body: { bot_token, signing_secret },
  });
  expect(connected.status).toBe(200);
  const caller = new SlackCaller(app.url, slack, workspace);
  const member = await createMember(app, organization.id, { policies: REVIEWER });
  const begun = await member.browser.post('/api/v1/me/slack/link');
  expect((await caller.command('UCLICKER', `link ${String(begun.body['code'])}`)).text).toContain(
    'is now linked',
  );
  const id = await ask(app, agent);
  while ((await sendDue(app.context)) > 0);
  const [post] = slack.postsTo('DUCLICKER');
  if (!post) throw new Error('no message was posted');
  const calls = await app.db.transaction(async (trx) => {
    await trx('slack_links')
      .where({ membership_id: member.membershipId })
      .forUpdate()
      .first('membership_id');
    // Unlinking waits for the link's row. The click has found the link and waits for unlinking.
    const unlinking = member.browser.delete('/api/v1/me/slack');
    await untilBlocked(trx);
    const clicking = caller.click('UCLICKER', buttonsOf(post).Approve);
    await untilBlocked(trx, 2);
    return { unlinking, clicking };
  });
  expect((await calls.unlinking).status).toBe(204);
  expect((await calls.clicking).status).toBe(200);
  expect(await slack.ephemeralText(1)).toContain('not linked to a member');
  expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
});

/** Ended rows are purged by the calls that add new ones. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { insertMfaChallenge } from '../../../src/data/sign-in/mfa-challenges.ts';
import { insertPasswordReset } from '../../../src/data/sign-in/passwords.ts';
import { insertSession } from '../../../src/data/sign-in/sessions.ts';
import { incrementSignInAttempts } from '../../../src/data/sign-in/sign-in-attempts.ts';
import { insertSlackPress } from '../../../src/data/notifications/slack/presses.ts';
import { useSsoState } from '../../../src/data/sign-in/used-sso-states.ts';
import { rememberSlackCall } from '../../../src/data/notifications/slack/calls.ts';
import { putSlackLinkCode } from '../../../src/data/notifications/slack/links.ts';
import { beginPostings, endPostings } from '../../../src/data/notifications/slack/messages.ts';
import { openPool, type Db } from '../../../src/platform/postgres.ts';
import { appForFile } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { explain, statementOf } from '../../support/sql/plans.ts';

const app = await appForFile();
let organization: TestOrganization;
let member: TestMember;

beforeAll(async () => {
  organization = await createOrganization(app);
  member = await createMember(app, organization.id);
});

const tokenHash = Buffer.alloc(32);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

async function signIn(): Promise<string> {
  const id = randomUUID();
  const authentication = {
    method: 'local_password',
    assurance: 'single_factor',
    clientAddress: '192.0.2.1',
    userAgent: '',
  } as const;
  await insertSession(app.db, organization.id, {
    id,
    membershipId: member.membershipId,
    tokenHash,
    ...authentication,
  });
  return id;
}

test('a sign-in purges up to ten sessions that ended over 90 days ago, the oldest first, and no others', async () => {
  const ended = [];
  for (let index = 0; index < 12; index += 1) ended.push(await signIn());
  const [kept, ...old] = ended;
  await app
    .db('sessions')
    .where({ id: kept })
    .update({ expires_at: daysAgo(89) });
  for (const [index, id] of old.entries())
    await app
      .db('sessions')
      .where({ id })
      .update({ expires_at: daysAgo(101 - index) });
  const live = await signIn();
  const left = await app
    .db('sessions')
    .whereIn('id', [...ended, live])
    .pluck('id');
  expect(left.sort()).toEqual([kept, old.at(-1), live].sort());
});

test('a password reset purges the links of all people that expired over a day ago', async () => {
  const other = await createMember(app, organization.id);
  const request = async ({ userId }: TestMember): Promise<string> => {
    const id = randomUUID();
    expect(
      await app.db.transaction((trx) =>
        insertPasswordReset(trx, { id, userId, tokenHash, removesSecondFactor: false }),
      ),
    ).toBe(true);
    return id;
  };
  const [old, recent] = [await request(other), await request(other)];
  await app
    .db('password_resets')
    .where({ id: old })
    .update({ expires_at: daysAgo(1.1) });
  await app
    .db('password_resets')
    .where({ id: recent })
    .update({ expires_at: daysAgo(0.9) });
  const own = await request(member);
  expect((await app.db('password_resets').pluck('id')).sort()).toEqual([recent, own].sort());
});

/** A workspace in its own organization, with a member. */
async function workspace(): Promise<{
  channelId: string;
  organization: TestOrganization;
  add: () => Promise<TestMember>;
}> {
  const its = await createOrganization(app);
  const [channelId, now] = [randomUUID(), new Date()];
  await app.db('notification_channels').insert({
    id: channelId,
    organization_id: its.id,
    kind: 'slack',
    name: 'Slack',
    created_at: now,
    updated_at: now,
  });
  await app.db('slack_connections').insert({
    channel_id: channelId,
    organization_id: its.id,
    team_id: channelId,
    team_name: 'Team',
    bot_user_id: 'UBOT',
    secrets: tokenHash,
    secrets_key_id: 'key',
    connected_at: now,
    updated_at: now,
  });
  return { channelId, organization: its, add: () => createMember(app, its.id) };
}

test('a Slack link code purges expired codes of others', async () => {
  const { channelId, add } = await workspace();
  const begin = async (): Promise<string> => {
    const { membershipId } = await add();
    await putSlackLinkCode(app.db, {
      membershipId,
      channelId,
      codeHash: Buffer.from(membershipId),
      minutes: 10,
    });
    return membershipId;
  };
  const [old, recent] = [await begin(), await begin()];
  await app
    .db('slack_link_codes')
    .where({ membership_id: old })
    .update({ expires_at: new Date(Date.now() - 1_000) });
  const own = await begin();
  expect(
    (
      await app.db('slack_link_codes').where({ channel_id: channelId }).pluck('membership_id')
    ).sort(),
  ).toEqual([recent, own].sort());
});

test('a Slack message purges those of other requests that were posted over 100 days ago', async () => {
  const { channelId, organization: its } = await workspace();
  const agent = await createAgent(app, its);
  const post = async (requestId: string, messageKey: string): Promise<boolean> => {
    const place = { requestId, channelId, messageKey };
    const [begun] = await beginPostings(app.db, [{ place, deliveryId: randomUUID() }]);
    if (begun) await endPostings(app.db, [{ place, posted: { channel: 'C1', ts: '1.0' } }]);
    return begun === true;
  };
  const [old, recent, next] = [await ask(app, agent), await ask(app, agent), await ask(app, agent)];
  for (const id of [old, recent]) await post(id, 'first');
  await app
    .db('slack_messages')
    .where({ request_id: old })
    .update({ posting_until: daysAgo(101) });
  await app
    .db('slack_messages')
    .where({ request_id: recent })
    .update({ posting_until: daysAgo(99) });
  expect(await post(old, 'first')).toBe(false);
  expect(await post(next, 'first')).toBe(true);
  expect(
    (await app.db('slack_messages').where({ channel_id: channelId }).pluck('request_id')).sort(),
  ).toEqual([recent, next].sort());
});

test.each<[string, (db: Db) => Promise<unknown>]>([
  ['sessions', (db) => insertSessionOf(db)],
  [
    'mfa_challenges',
    (db) =>
      insertMfaChallenge(db, {
        id: randomUUID(),
        ...someone(),
        tokenHash,
        passwordDigest: tokenHash,
      }),
  ],
  ['sign_in_attempts', (db) => incrementSignInAttempts(db, [Buffer.from(randomUUID())])],
  ['slack_calls', (db) => rememberSlackCall(db, Buffer.from(randomUUID()))],
  ['used_sso_states', (db) => useSsoState(db, tokenHash)],
  ['slack_presses', (db) => insertSlackPressOf(db)],
  ['slack_link_codes', (db) => putSlackLinkCodeOf(db)],
  ['slack_messages', (db) => beginPostingOf(db)],
])(
  'ended rows in %s are found by an index on their age, without reading live ones',
  async (table, run) => {
    const statement = await statementOf(app, run);
    // Small tables are read whole, so sequential scans are disabled to see whether an index serves.
    const url = new URL(app.databaseUrl);
    url.searchParams.set(
      'options',
      '-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off',
    );
    const db = openPool({ connectionString: url.href, max: 1, applicationName: 'plans' });
    const nodes = await explain({ ...app, db }, statement).finally(() => db.destroy());
    const byAge = nodes.filter(
      (node) => node['Relation Name'] === table && /_at|_until/.test(node['Index Cond'] ?? ''),
    );
    expect(byAge).toHaveLength(1);
  },
);

const someone = () => ({ membershipId: member.membershipId });

async function insertSessionOf(db: Db): Promise<void> {
  const authentication = {
    method: 'local_password',
    assurance: 'single_factor',
    clientAddress: '192.0.2.1',
    userAgent: '',
  } as const;
  await insertSession(db, organization.id, {
    id: randomUUID(),
    ...someone(),
    tokenHash,
    ...authentication,
  });
}

async function putSlackLinkCodeOf(db: Db): Promise<void> {
  const { channelId, add } = await workspace();
  const { membershipId } = await add();
  await putSlackLinkCode(db, { membershipId, channelId, codeHash: tokenHash, minutes: 10 });
}

async function insertSlackPressOf(db: Db): Promise<void> {
  const { channelId } = await workspace();
  const interaction = {
    slackUserId: 'U1',
    isForeign: false,
    requestId: randomUUID(),
    action: 'deny',
    triggerId: '',
    responseUrl: '',
  } as const;
  await insertSlackPress(db, { channelId, pressKey: tokenHash, interaction });
}

async function beginPostingOf(db: Db): Promise<void> {
  const { channelId, organization: its } = await workspace();
  const requestId = await ask(app, await createAgent(app, its));
  const place = { requestId, channelId, messageKey: 'first' };
  await beginPostings(db, [{ place, deliveryId: randomUUID() }]);
}

/** An organization with Slack, whose requests ask one linked reviewer. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { newMinute, sendDue } from '../outbox.ts';
import type { TestApp } from '../app.ts';
import { appForFile } from '../scene.ts';
import { ask } from './approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from './factories.ts';
import {
  buttonsOf,
  SlackCaller,
  SlackServer,
  type SlackPost,
  type Workspace,
} from '../servers/slack-server.ts';

/** The settings of a service that uses this Slack. */
export function slackEnvironment(slack: SlackServer): Readonly<Record<string, string>> {
  return {
    ...slack.environment,
    COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
    COUNTERSIGN_CREATE_BUDGET: '1s',
  };
}

export interface SlackForFile {
  readonly app: TestApp;
  readonly slack: SlackServer;
  /** For another process of the same service. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A Slack and the service that uses it, for all tests of a file. Call it at the top of the file. */
export async function slackForFile(
  environment: Readonly<Record<string, string>> = {},
): Promise<SlackForFile> {
  const slack = new SlackServer();
  await slack.start();
  const all = { ...slackEnvironment(slack), ...environment };
  const app = await appForFile({ environment: all });
  afterAll(() => slack.stop());
  return { app, slack, environment: all };
}

const SECRETS_KEY = randomBytes(32).toString('base64');

export interface Scene {
  readonly app: TestApp;
  readonly slack: SlackServer;
  readonly organization: TestOrganization;
  readonly agent: TestAgent;
  readonly workspace: Workspace;
  readonly caller: SlackCaller;
  /** Asked by the path, and linked. */
  readonly reviewer: TestMember;
  readonly slackUser: string;
}

export const newUser = (): string => `U${randomBytes(5).toString('hex').toUpperCase()}`;
export const newChannel = (): string => `C${randomBytes(5).toString('hex').toUpperCase()}`;

export async function createDecider(
  app: TestApp,
  { id }: TestOrganization,
  agent: TestAgent,
): Promise<TestMember> {
  return await createMember(app, id, {
    policies: [
      {
        scope_kind: 'agent',
        resource_ids: [agent.slug],
        permissions: ['request.decide', 'request.read'],
      },
    ],
  });
}

export async function createScene(
  app: TestApp,
  slack: SlackServer,
  { defaultChannel = null }: { readonly defaultChannel?: string | null } = {},
): Promise<Scene> {
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const reviewer = await createDecider(app, organization, agent);
  const workspace = slack.addWorkspace();
  const { botToken: bot_token, signingSecret: signing_secret } = workspace;
  const body = { bot_token, signing_secret, default_channel: defaultChannel };
  const connected = await organization.owner.browser.call('PUT', '/api/v1/slack', { body });
  if (connected.status !== 200) throw new Error(connected.text);
  const caller = new SlackCaller(app.url, slack, workspace);
  const slackUser = newUser();
  await link(caller, reviewer, slackUser);
  await routeTo(organization, agent, [reviewer]);
  return { app, slack, organization, agent, workspace, caller, reviewer, slackUser };
}

export async function link(
  caller: SlackCaller,
  member: TestMember,
  slackUser: string,
): Promise<void> {
  const begun = await member.browser.post('/api/v1/me/slack/link');
  const response = await caller.command(slackUser, `link ${String(begun.body['code'])}`);
  if (!response.text.includes('is now linked')) throw new Error(response.text);
}

/** One level for each list of members. */
export async function routeTo(
  { owner }: TestOrganization,
  agent: TestAgent,
  ...levels: readonly (readonly TestMember[])[]
): Promise<void> {
  const path_key = `path-${randomUUID().slice(0, 8)}`;
  const nodes = levels.map((members) => ({
    id: randomUUID(),
    type: 'level',
    targets: members.map(({ membershipId }) => ({ type: 'user', id: membershipId })),
    escalate_after: '15m',
  }));
  await activatePath(owner, { path_key, name: 'On call', nodes });
  const config = {
    outcome: 'human',
    reason: 'Refunds over 100 <!channel>',
    escalation_path: path_key,
  };
  const blocks = [{ id: 'people', name: 'People', type: 'always', config }];
  await activatePipeline(owner, `agents/${agent.slug}`, {
    blocks,
    default_escalation_path: path_key,
  });
}

/** Sends until nothing is due, in a separate minute. Failed messages are made due again first. */
export async function deliver(app: TestApp): Promise<void> {
  await newMinute(app);
  await app
    .db('notification_deliveries')
    .whereNotNull('next_attempt_at')
    .update({ next_attempt_at: new Date(Date.now() - 1_000) });
  while ((await sendDue(app.context)) > 0);
}

/** Asks, and returns the message in Slack. */
export async function asked(
  scene: Scene,
  args: unknown = { amount: 120 },
): Promise<{ id: string; post: SlackPost }> {
  const id = await ask(scene.app, scene.agent, { tool: 'refund', arguments: args });
  await deliver(scene.app);
  const [post] = scene.slack.postsTo(`D${scene.slackUser}`).slice(-1);
  if (!post) throw new Error('no message in Slack');
  return { id, post };
}

/** Clicks a button and returns the ephemeral response. */
export async function click(
  scene: Scene,
  post: SlackPost,
  label: 'Approve' | 'Deny',
  user = scene.slackUser,
): Promise<string> {
  const said = scene.slack.ephemeralTexts.length;
  const response = await scene.caller.click(user, buttonsOf(post)[label]);
  if (response.status !== 200) throw new Error(response.text);
  return await scene.slack.ephemeralText(said + 1);
}

interface DeliveryRow {
  readonly event: string;
  readonly announces: boolean;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly dropped_reason: string | null;
  readonly delivered_at: Date | null;
  readonly dead_at: Date | null;
  readonly next_attempt_at: Date | null;
}

/** To the people, to the default channel, and the news of the decision. */
export async function deliveriesOf({ db }: TestApp, requestId: string): Promise<DeliveryRow[]> {
  return await db('notification_deliveries as d')
    .join('notification_channels as c', 'c.id', 'd.channel_id')
    .where({ 'd.request_id': requestId, 'c.kind': 'slack' })
    .orderBy([{ column: 'd.event', order: 'desc' }, 'd.announces', 'd.created_at'])
    .select<DeliveryRow[]>('d.*');
}

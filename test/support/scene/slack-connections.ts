/** Organizations that connect Slack, and their members' links. */
import { expect } from '@jest/globals';
import type { TestApp } from '../app.ts';
import type { ApiResponse } from '../http.ts';
import { SlackCaller, type SlackServer, type Workspace } from '../servers/slack-server.ts';
import { createOrganization, type TestMember, type TestOrganization } from './factories.ts';

export interface ConnectedScene {
  readonly organization: TestOrganization;
  readonly owner: TestMember;
  readonly workspace: Workspace;
  readonly caller: SlackCaller;
}

export const connectWith = (member: TestMember, body: unknown): Promise<ApiResponse> =>
  member.browser.call('PUT', '/api/v1/slack', { body });
export const secretsOf = ({ botToken, signingSecret }: Workspace) => ({
  bot_token: botToken,
  signing_secret: signingSecret,
});

/** An organization with a new workspace. */
export async function connectSlack(app: TestApp, slack: SlackServer): Promise<ConnectedScene> {
  const organization = await createOrganization(app);
  const workspace = slack.addWorkspace();
  const response = await connectWith(organization.owner, secretsOf(workspace));
  expect(response.status).toBe(200);
  return {
    organization,
    owner: organization.owner,
    workspace,
    caller: new SlackCaller(app.url, slack, workspace),
  };
}

export async function codeOf(member: TestMember): Promise<string> {
  const begun = await member.browser.post('/api/v1/me/slack/link');
  expect(begun.status).toBe(201);
  expect(begun.body['command']).toBe(`/countersign link ${String(begun.body['code'])}`);
  return String(begun.body['code']);
}

export const linkOf = async (member: TestMember): Promise<unknown> =>
  (await member.http.get('/api/v1/me/slack')).body['slack_user_id'];
export const said = (response: ApiResponse): string => {
  expect(response.status).toBe(200);
  expect(response.body['response_type']).toBe('ephemeral');
  return String(response.body['text']);
};

export const eventsOf = async (
  { db }: TestApp,
  organizationId: string,
  prefix: string,
): Promise<{ event_type: string; actor_id: string; data: unknown }[]> =>
  await db('audit_events')
    .where({ organization_id: organizationId })
    .andWhereLike('event_type', `${prefix}%`)
    .orderBy('sequence')
    .select('event_type', 'actor_id', 'data');

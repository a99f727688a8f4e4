/** The link between a member and a Slack user. */
import { z } from 'zod';
import {
  beginSlackLink,
  readOwnSlack,
  removeOwnSlackLink,
  SLACK_COMMAND,
  type OwnSlack,
} from '../../../src/services/notifications/slack/links.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { nullableTimestamp, timestamp } from '../../http/schema.ts';

const TAG = 'Account';

const ownSchema = z
  .strictObject({
    team_name: z
      .string()
      .nullable()
      .meta({ description: 'The workspace of the organization; null when none is connected.' }),
    slack_user_id: z
      .string()
      .nullable()
      .meta({ description: 'The linked Slack user; null when none is linked.' }),
    linked_at: nullableTimestamp('When the Slack user was linked; null when none is linked.'),
  })
  .meta({ id: 'OwnSlack', description: "The caller's link with a Slack user." });

function presentOwn({ connection, link }: OwnSlack): z.input<typeof ownSchema> {
  return {
    team_name: connection?.teamName ?? null,
    slack_user_id: link?.slackUserId ?? null,
    linked_at: link?.linkedAt ?? null,
  };
}

export const slackLinkEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getMySlack',
    method: 'get',
    path: '/api/v1/me/slack',
    tag: TAG,
    summary: 'Get your link with Slack',
    auth: 'member',
    success: {
      status: 200,
      description: 'The link.',
      body: ownSchema,
      example: {
        team_name: 'Example Works',
        slack_user_id: 'U0123WXYZ',
        linked_at: '2026-03-02T09:10:00.000Z',
      },
    },
    errors: [],
    handler: async ({ principal }, context) => ({
      body: presentOwn(await readOwnSlack(context, principal)),
    }),
  }),
  defineEndpoint({
    operationId: 'beginMySlackLink',
    method: 'post',
    path: '/api/v1/me/slack/link',
    tag: TAG,
    summary: 'Start to link your Slack user',
    description:
      'Type the returned command in Slack within ten minutes. The Slack user who types it is linked to you and replaces one linked before. The code works once, and a new code ends it. Requires a recently authenticated session, with a second factor where the organization requires one.',
    auth: 'session',
    success: {
      status: 201,
      description: 'The command to type in Slack.',
      body: z.strictObject({
        code: z.string().meta({ description: 'The code. Shown only once.' }),
        command: z.string().meta({ description: 'The complete command.' }),
        expires_at: timestamp('When the code ends.'),
      }),
      example: {
        code: '7KQ2-M3XA-9R0D-ZB5T',
        command: '/countersign link 7KQ2-M3XA-9R0D-ZB5T',
        expires_at: '2026-03-02T09:20:00.000Z',
      },
    },
    errors: ['reauthentication_required', 'mfa_required', 'slack_not_connected'],
    handler: async ({ principal }, context) => {
      const { code, expiresAt } = await beginSlackLink(context, principal);
      return { body: { code, command: `${SLACK_COMMAND} link ${code}`, expires_at: expiresAt } };
    },
  }),
  defineEndpoint({
    operationId: 'removeMySlackLink',
    method: 'delete',
    path: '/api/v1/me/slack',
    tag: TAG,
    summary: 'Remove your link with Slack',
    description:
      'Also ends a link code that was not used yet. `/countersign unlink` in Slack does the same.',
    auth: 'member',
    success: { status: 204, description: 'No Slack user is linked.' },
    errors: [],
    handler: async ({ principal }, context) => {
      await removeOwnSlackLink(context, principal);
      return {};
    },
  }),
];

/** Slack's calls to us: buttons and slash commands. */
import { z } from 'zod';
import {
  handleSlackCommand,
  handleSlackInteraction,
} from '../../../src/services/notifications/slack/calls.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint, type SignedForm } from '../../http/endpoint.ts';

const TAG = 'Slack';

const SIGNATURE = 'x-slack-signature';
const TIMESTAMP = 'x-slack-request-timestamp';
const signedHeaders = [SIGNATURE, TIMESTAMP] as const;

const signedCall = ({ text, headers }: SignedForm) => ({
  body: text,
  signature: headers[SIGNATURE] ?? '',
  timestamp: headers[TIMESTAMP] ?? '',
});

const FROM_SLACK =
  'Only for Slack. Returns 401 unless the call is signed with the workspace’s signing secret and at most five minutes old. A repeated call is refused.';

export const slackCallEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'handleSlackInteraction',
    method: 'post',
    path: '/auth/slack/interactions',
    tag: TAG,
    summary: 'Receive a button click or a note from Slack',
    description: `${FROM_SLACK} The response comes before anything is decided, because Slack waits only three seconds. The same press in a new call changes nothing. A click on Approve or Deny decides as the linked member, with channel \`slack\` and one factor. Deny with a note opens a form first, and sending it denies. Where the organization requires a second factor, messages have no such buttons, and a click on an older one links to the browser. Users of other workspaces are refused. The user gets the result in Slack, and a failure too.`,
    auth: 'none',
    bodyLimit: BODY_BYTES.slack,
    signedForm: {
      headers: signedHeaders,
      fields: z.looseObject({
        payload: z.string().meta({ description: 'The interaction, as JSON.' }),
      }),
    },
    requestExample: {
      payload:
        '{"type":"block_actions","team":{"id":"T0123ABCD"},"user":{"id":"U0123WXYZ"},"actions":[]}',
    },
    success: { status: 200, description: 'Received.' },
    errors: ['authentication_required', 'secrets_key_missing'],
    handler: async ({ signedForm }, context) => {
      await handleSlackInteraction(context, signedCall(signedForm));
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'handleSlackCommand',
    method: 'post',
    path: '/auth/slack/commands',
    tag: TAG,
    summary: 'Receive a slash command from Slack',
    description: `${FROM_SLACK} \`/countersign link CODE\` links the Slack user with the member who requested the code. \`/countersign unlink\` removes the link. If a command takes longer than Slack waits, the outcome follows later.`,
    auth: 'none',
    bodyLimit: BODY_BYTES.slack,
    signedForm: {
      headers: signedHeaders,
      fields: z.looseObject({
        team_id: z.string().meta({ description: 'The workspace.' }),
        user_id: z.string().meta({ description: 'The Slack user.' }),
        text: z.string().optional().meta({ description: 'The text after the command.' }),
      }),
    },
    requestExample: {
      team_id: 'T0123ABCD',
      user_id: 'U0123WXYZ',
      text: 'link 7KQ2-M3XA-9R0D-ZB5T',
    },
    success: {
      status: 200,
      description: 'An ephemeral response to the user.',
      body: z.strictObject({
        response_type: z
          .literal('ephemeral')
          .meta({ description: 'Only this user sees the response.' }),
        text: z.string().meta({ description: 'The text, in Slack’s markup.' }),
      }),
      example: { response_type: 'ephemeral', text: 'Your Slack account is no longer linked.' },
    },
    errors: ['authentication_required', 'secrets_key_missing'],
    handler: async ({ signedForm }, context) => ({
      body: {
        response_type: 'ephemeral',
        text: await handleSlackCommand(context, signedCall(signedForm)),
      },
    }),
  }),
];

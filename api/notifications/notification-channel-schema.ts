/** How the API shows notification channels, and what became of a test message. */
import { z } from 'zod';
import { ERROR_CAUSES } from '../../src/domain/error-causes.ts';
import { CHANNEL_KINDS } from '../../src/domain/channels.ts';
import type {
  NotificationChannel,
  WatchedChannel,
} from '../../src/domain/notifications/notification-channels.ts';
import type { ChannelTest } from '../../src/services/notifications/notification-channels.ts';
import { present } from '../http/present.ts';
import { timestamp, uuid } from '../http/schema.ts';
import { channelStateSchema, channelTrouble, presentState } from './channel-state-schema.ts';
import { previousSecret } from '../webhooks/secret-rotation-schema.ts';

const channel = {
  id: uuid('The channel.'),
  kind: z.enum(CHANNEL_KINDS).meta({
    description:
      'Every organization has `email`. A `webhook` is created here. `slack` appears when a workspace is connected, `push` when a browser first subscribes.',
  }),
  name: z.string().meta({ description: 'Its name.' }),
  enabled: z.boolean().meta({ description: 'False: the channel sends nothing.' }),
  url: z.string().optional().meta({ description: 'The URL of a webhook.' }),
  include_arguments: z
    .boolean()
    .optional()
    .meta({ description: 'Whether webhook payloads include the arguments of the tool call.' }),
  secret_rotated_at: timestamp('When the signing secret of a webhook was created.').optional(),
  previous_secret_expires_at: previousSecret(),
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When the channel was last changed.'),
};

export const channelSchema = z.strictObject(channel).meta({
  id: 'NotificationChannel',
  description: 'A channel over which the organization sends notifications.',
});

const count = (what: string) => z.int().meta({ description: `How many of them ${what}.` });

const recentSchema = z
  .strictObject({
    delivered_count: count('were delivered'),
    dead_count: count('could not be delivered'),
    waiting_count: count('wait: not tried yet, or tried again later'),
    dropped_count: count('were no longer needed'),
    last_delivered_at: timestamp('When one of them was last delivered.').optional(),
    last_dead_at: timestamp('When one of them was last given up.').optional(),
    last_error: z.string().optional().meta({
      description: 'The error of the newest one that is dead or tried again.',
    }),
  })
  .meta({ description: 'What became of its latest messages: up to 50.' });

const troubledMemberSchema = z
  .strictObject({
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Their name.' }),
    ...channelTrouble,
  })
  .meta({ description: 'A member that the channel does not reach.' });

export const watchedChannelSchema = z
  .strictObject({
    ...channel,
    recent_messages: recentSchema,
    state: channelStateSchema,
    troubled_members: z.array(troubledMemberSchema).meta({
      description:
        'Members that the channel does not reach although it works for others, the oldest trouble first. At most 50 in all channels.',
    }),
  })
  .meta({
    id: 'WatchedNotificationChannel',
    description: 'A channel, and what became of its latest messages.',
  });

export const kindSchema = z.strictObject({
  kind: z.enum(CHANNEL_KINDS).meta({ description: 'The kind.' }),
  configured: z.boolean().meta({
    description: 'Whether this deployment can send by it. Without, its channels send nothing.',
  }),
  variables: z.array(z.string()).meta({
    description: 'The environment variables of the service that turn it on.',
  }),
});

export const testSchema = z
  .strictObject({
    delivered: z.boolean().meta({ description: 'Whether the receiver accepted it.' }),
    status_code: z
      .int()
      .optional()
      .meta({ description: 'The status that a webhook or a push service returned, if any.' }),
    duration_ms: z.int().meta({ description: 'Duration in milliseconds.' }),
    error_code: z.string().optional().meta({
      description:
        'Why it did not arrive, for example `timeout`, `egress_denied`, `connection_failed` or `unexpected_status`.',
    }),
    error_cause: z.enum(ERROR_CAUSES).optional().meta({
      description:
        'What to look at when a webhook or a push service gave no response, as in the test of a webhook endpoint.',
    }),
    response_excerpt: z.string().optional().meta({
      description:
        'The first 500 characters of the response of a webhook, or of what the mail server said when it took no email.',
    }),
  })
  .meta({ id: 'NotificationTest', description: 'The result of a test message.' });

export const presentTest = (outcome: ChannelTest) =>
  present(testSchema, {
    ...outcome,
    statusCode: outcome.statusCode,
    errorCode: outcome.errorCode,
    errorCause: outcome.errorCause,
    responseExcerpt: outcome.excerpt,
  });

const membersOf = ({ webhook, ...given }: NotificationChannel) => ({
  ...given,
  url: webhook?.url,
  includeArguments: webhook?.includeArguments,
  secretRotatedAt: webhook?.secretRotatedAt,
  previousSecretExpiresAt: webhook?.previousSecretExpiresAt,
});

export const presentChannel = (given: NotificationChannel) =>
  present(channelSchema, membersOf(given));

export const presentWatched = ({
  recentMessages,
  state,
  troubledMembers,
  ...given
}: WatchedChannel) =>
  present(watchedChannelSchema, {
    ...membersOf(given),
    recentMessages: present(recentSchema, recentMessages),
    state: presentState(state),
    troubledMembers: troubledMembers.map((member) => present(troubledMemberSchema, member)),
  });

/** How the API shows whether a channel works. */
import { z } from 'zod';
import { CHANNEL_KINDS } from '../../src/domain/channels.ts';
import { CHANNEL_STATES, type ShownState } from '../../src/domain/notifications/channel-states.ts';
import type { TroubledChannel } from '../../src/services/notifications/channel-states.ts';
import { present } from '../http/present.ts';
import { timestamp } from '../http/schema.ts';

export const channelTrouble = {
  state: z.enum(['failing', 'broken']).meta({
    description: '`failing`: messages are tried again. `broken`: the last one failed for good.',
  }),
  since: timestamp('When this cause first came up since the last success.'),
  cause: z.string().meta({
    description:
      'Why, such as `mailbox_refused`, an error code of Slack, or `status_403` of a push service or webhook.',
  }),
  problem: z.string().meta({ description: 'What is wrong, in words.' }),
  what_to_do: z.string().meta({ description: 'What to do about it.' }),
};

/** Of a channel for everyone, or of one member's messages over it. */
export const channelStateSchema = z
  .strictObject({
    state: z.enum(CHANNEL_STATES).meta({
      description:
        'By the results of messages. `failing`: they are tried again. `broken`: the last one failed for good.',
    }),
    since: channelTrouble.since.optional(),
    cause: channelTrouble.cause.optional(),
    problem: channelTrouble.problem.optional(),
    what_to_do: channelTrouble.what_to_do.optional(),
  })
  .meta({ id: 'ChannelState', description: 'Whether a channel works, and why it does not.' });

export const presentState = (given: ShownState) =>
  given.state === 'working'
    ? { state: given.state }
    : {
        ...{ state: given.state, since: given.since, cause: given.cause },
        ...{ problem: given.problem, what_to_do: given.whatToDo },
      };

const troubledChannelSchema = z
  .strictObject({
    kind: z.enum(CHANNEL_KINDS).meta({ description: 'The kind of the channel.' }),
    name: z.string().meta({ description: 'Its name.' }),
    ...channelTrouble,
  })
  .meta({ id: 'TroubledChannel', description: 'A channel whose messages do not arrive.' });

export const troubledChannels = (description: string) =>
  z.array(troubledChannelSchema).meta({ description });

export const presentTroubled = (channels: readonly TroubledChannel[]) =>
  channels.map((channel) => present(troubledChannelSchema, channel));

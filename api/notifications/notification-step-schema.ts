/** Personal steps: over which channel a member gets a message, and when. */
import { z } from 'zod';
import { MEMBER_CHANNEL_KINDS } from '../../src/domain/channels.ts';
import {
  AFTER_PATTERN,
  firstOutOfOrder,
  firstRepeated,
  LONGEST_AFTER,
  MOST_STEPS,
  secondsAfter,
} from '../../src/domain/notifications/steps.ts';

const RULE = `must be 0 or a duration of at most ${LONGEST_AFTER}, such as 5m`;

export const notificationStepSchema = z
  .strictObject({
    channel: z.enum(MEMBER_CHANNEL_KINDS).meta({ description: 'The kind of channel.' }),
    after: z
      .string()
      .refine((after) => secondsAfter(after) !== undefined, { error: RULE })
      .meta({
        description: `How long after you are asked: \`0\`, or a duration of at most ${LONGEST_AFTER}.`,
        override: { type: 'string', pattern: AFTER_PATTERN },
      }),
  })
  .meta({ id: 'NotificationStep', description: 'A message over one channel.' });

const listOf = (urgency: string) =>
  z
    .array(notificationStepSchema)
    .min(1)
    .max(MOST_STEPS)
    .superRefine((steps, { addIssue }) => {
      const late = firstOutOfOrder(steps);
      const index = late ?? firstRepeated(steps);
      const message = `must not ${late === undefined ? 'repeat an earlier step' : 'be earlier than the step before it'}`;
      if (index !== undefined) addIssue({ code: 'custom', path: [index, 'after'], message });
    })
    .optional()
    .meta({
      description: `For ${urgency} requests, in order of time. Absent: all channels get the message at once.`,
    });

export const notificationStepsSchema = z
  .strictObject({ standard: listOf('standard'), interrupt: listOf('urgent') })
  .meta({
    id: 'NotificationSteps',
    description:
      'Over which channels you get a message, one after the other, until the request is decided, withdrawn or expired. Steps pause while ' +
      'someone claims it. A step that fails for good makes the next one due. Other channels get no message.',
  });

/** Replacing the secret that signs what is posted, for every receiver that has one. */
import { z } from 'zod';
import { duration, timestamp } from '../http/schema.ts';

export const secretExample = 'whsec_q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=';

/** What follows a sentence that names the call. */
export const ROTATION =
  'Without a body the old secret stops at once. With an `overlap` both secrets sign until it ends: `Service-Signature` has two `v1=`, ' +
  '`webhook-signature` two signatures with a blank between, and receivers accept a message if one of them is right. Rotating again ends the oldest secret.';

export const previousSecret = () =>
  timestamp(
    'When the previous secret stops signing. Absent when only one secret signs.',
  ).optional();

export const rotationBody = z.strictObject({
  overlap: duration('How long the old secret also signs calls: one minute to seven days.', {
    min: '1m',
    max: '168h',
  }).optional(),
});

export const rotationSchema = z.strictObject({
  signing_secret: z
    .string()
    .meta({ description: 'The signing secret: `whsec_` and 32 bytes in base64.' }),
  secret_rotated_at: timestamp('When the secret was made.'),
  previous_secret_expires_at: previousSecret(),
});

export const rotationExample = {
  signing_secret: secretExample,
  secret_rotated_at: '2026-04-01T08:00:00.000Z',
  previous_secret_expires_at: '2026-04-02T08:00:00.000Z',
};

/** How the receiver of an instance is written, in calls and responses. */
import { z } from 'zod';
import {
  RECEIVER_URL,
  receiverUrlProblem,
  type Receiver,
} from '../../src/domain/receivers/receivers.ts';
import { present } from '../http/present.ts';
import { uuid } from '../http/schema.ts';

const MAX_URL = 2_000;
const URL_PATTERN = RECEIVER_URL.source.replaceAll('\\/', '/');

/** An issue of this code makes it the code of the response. */
const issue = (code: string, message: string) =>
  ({ code: 'custom', params: { code }, message }) as const;

export const delivery = z
  .strictObject({
    type: z
      .string()
      .superRefine((type, { addIssue }) => {
        if (type !== 'webhook') addIssue(issue('unsupported_delivery_type', 'must be webhook'));
      })
      .transform(() => 'webhook' as const)
      .meta({
        description: 'How the receiver gets decisions.',
        override: { type: 'string', const: 'webhook' },
      }),
    url: z
      .string()
      .superRefine((url, { addIssue }) => {
        const message =
          url.length > MAX_URL
            ? `must be at most ${MAX_URL} characters long`
            : receiverUrlProblem(url);
        if (message !== undefined) addIssue(issue('invalid_webhook_url', message));
      })
      .meta({
        description: 'The public https address of the receiver, without user name and fragment.',
        override: { type: 'string', pattern: URL_PATTERN, maxLength: MAX_URL },
      }),
    registration_id: uuid('By it the receiver finds the secret of a verification.'),
    signing_secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, {
        error: 'must be whsec_ and 32 bytes in base64',
      })
      .meta({ description: 'What signs every message. It is never returned.' }),
  })
  .meta({
    id: 'AapDeliveryInput',
    description:
      'Where the service tells that a request has its decision. Before anything is stored, the receiver must repeat a challenge.',
  });

export const shownDelivery = z
  .strictObject({
    type: z.literal('webhook').meta({ description: 'How the receiver gets decisions.' }),
    url: z.string().meta({ description: 'The address of the receiver.' }),
    registration_id: uuid('By it the receiver finds the secret of a verification.'),
  })
  .meta({ id: 'AapDelivery', description: 'The receiver of an instance, without its secret.' });

export const presentDelivery = (receiver: Receiver): z.input<typeof shownDelivery> =>
  present(shownDelivery, { type: 'webhook', ...receiver });

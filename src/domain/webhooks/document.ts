/** What a revision of a webhook endpoint says. */
import { label, object, type ReadAs } from '../grammar.ts';
import { outgoingUrl } from '../outgoing-urls.ts';
import { revisionComment } from '../revisions.ts';

export const webhookEndpointSchema = object({
  name: label('Name for people.', 200),
  url: outgoingUrl(
    'An https URL on the public internet, without credentials, fragment, white space or backslashes. It is stored in normalized form. ' +
      'The address is checked now and at every connection: private and special addresses are refused, and redirects are not followed.',
  ),
  comment: revisionComment(),
}).meta({ id: 'WebhookEndpointDocument', description: 'Where the rules of a pipeline post.' });

export type WebhookEndpointDocument = ReadAs<typeof webhookEndpointSchema>;

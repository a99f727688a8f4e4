/** Reads the bodies of webhook endpoints into the texts to store. */
import { readBy } from '../../domain/issues.ts';
import { takeReadBack } from '../../domain/read-back.ts';
import { webhookEndpointSchema } from '../../domain/webhooks/document.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { DocumentReader } from '../read-documents.ts';

export interface WebhookEndpointNames {
  readonly url: string;
}

export const readWebhookEndpoint: DocumentReader<WebhookEndpointNames> = (body) => {
  const { document: sent, stated } = takeReadBack(parseExact(body), ['endpoint_key']);
  const read = readBy(webhookEndpointSchema, sent);
  if (!read.ok) return { issues: read.issues };
  const { comment, ...document } = read.value;
  return { text: stringifyExact(document), names: { url: document.url }, comment, stated };
};

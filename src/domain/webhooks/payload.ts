/** The payload of a test: everything a real one has, about a sample request. */
import { JsonText } from '../../platform/json/exact-json.ts';

export interface SampleOf {
  readonly id: string;
  readonly createdAt: Date;
  readonly organizationId: string;
  readonly endpointKey: string;
}

/** For `stringifyExact`. A real one has `instance`, and the id and the times of its request. */
export function samplePayload(sample: SampleOf): Readonly<Record<string, unknown>> {
  return {
    id: sample.id,
    type: 'webhook_endpoint.test',
    preview: true,
    created_at: sample.createdAt,
    attempt: 1,
    organization_id: sample.organizationId,
    endpoint_key: sample.endpointKey,
    pipeline: { scope: 'organization', revision: 1 },
    block: { id: 'sample', name: 'Sample' },
    request: {
      tool: 'refund_payment',
      arguments: new JsonText('{"payment_id":"pay_81","amount":12.50}'),
      agent_reasoning: 'The customer was charged twice.',
      context: { ticket: 'T-1042' },
    },
    agent: { slug: 'sample-agent', name: 'Sample agent' },
    previous_metadata: { organization: {}, agent: {} },
  };
}

/** What is posted to webhook endpoints: about a request, a preview of one, or a sample in a test. */
import { JsonText } from '../../platform/json/exact-json.ts';
import type { ConditionFacts } from '../conditions/types.ts';
import type { BlockRef, RemoteBlock } from '../pipelines/remote.ts';
import type { ApprovalRequest } from '../requests/approval-requests.ts';

export interface PayloadOf {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly createdAt: Date;
  readonly organizationId: string;
  readonly endpointKey: string;
  readonly scope: BlockRef['scope'];
  /** Of the pipeline. Absent in a preview. */
  readonly revision?: number;
  readonly block: Pick<RemoteBlock, 'id' | 'name'>;
  readonly facts: ConditionFacts;
  /** The request that the facts are about. Absent in a preview. */
  readonly request?: ApprovalRequest;
}

/** For `stringifyExact`: what the agent sent stays as it came. */
export function evaluatePayload(of: PayloadOf): Readonly<Record<string, unknown>> {
  const { scope, block, facts, request } = of;
  return {
    id: of.deliveryId,
    type: 'approval_request.evaluate',
    preview: request === undefined,
    created_at: of.createdAt,
    attempt: of.attempt,
    organization_id: of.organizationId,
    endpoint_key: of.endpointKey,
    pipeline: {
      scope,
      ...(scope === 'agent' && { agent_slug: facts.agent.slug }),
      revision: of.revision,
    },
    block: { id: block.id, name: block.name },
    request: {
      id: request?.id,
      ...facts.request,
      created_at: request?.createdAt,
      deadline_at: request?.deadlineAt,
    },
    agent: facts.agent,
    ...(request && { instance: { id: request.agentInstanceId, name: request.agentInstanceName } }),
    previous_metadata: facts.previous_metadata,
  };
}

export interface SampleOf {
  readonly id: string;
  readonly createdAt: Date;
  readonly organizationId: string;
  readonly endpointKey: string;
}

/** The payload of a test. A real one has `instance`, and the id and the times of its request. */
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

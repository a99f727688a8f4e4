/** A request as the conditions of pipelines and escalation paths see it. */
import type { ConditionFacts } from '../conditions/types.ts';
import { knownMetadata } from '../pipelines/remote.ts';
import type { ApprovalRequest } from './approval-requests.ts';

export type RequestToJudge = Pick<
  ApprovalRequest,
  | 'tool'
  | 'server'
  | 'arguments'
  | 'agentReasoning'
  | 'context'
  | 'agentSlug'
  | 'agentName'
  | 'previousMetadata'
>;

export function conditionFacts(request: RequestToJudge): ConditionFacts {
  return {
    request: {
      tool: request.tool,
      ...(request.server !== undefined && { server: request.server }),
      arguments: request.arguments,
      ...(request.agentReasoning && { agent_reasoning: request.agentReasoning }),
      ...(request.context && { context: request.context }),
    },
    agent: { slug: request.agentSlug, name: request.agentName },
    previous_metadata: knownMetadata(request.previousMetadata),
  };
}

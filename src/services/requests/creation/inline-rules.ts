/** Inline rules: what the rules of this process say about a request before it is written. */
import type { AgentPrincipal } from '../../../domain/people/authorization.ts';
import type { RuleRevisions } from '../../../domain/requests/approval-requests.ts';
import type { Judged, NewApprovalRequest } from '../../../domain/requests/engine/create.ts';
import type { InlineRules, ServiceContext } from '../../context.ts';
import { evaluateLight } from '../../evaluation/evaluate.ts';

/** Undefined where the process knows no rules of the agent, and where they are too much work for the event loop. */
export async function judge(
  { db }: ServiceContext,
  inlineRules: InlineRules,
  { principal, input }: { readonly principal: AgentPrincipal; readonly input: NewApprovalRequest },
): Promise<Judged | undefined> {
  const rules = inlineRules.revisions.get(keyOf(principal));
  if (!rules) return undefined;
  const { id: _id, ...asked } = input;
  const { agentSlug, agentName } = principal;
  const evaluated = await evaluateLight(db, { ...asked, ...rules, agentSlug, agentName });
  return evaluated && { evaluated, rules };
}

type Agent = Pick<AgentPrincipal, 'organizationId' | 'agentSlug'>;

const keyOf = ({ organizationId, agentSlug }: Agent): string => `${organizationId} ${agentSlug}`;

/** The rules that were active just now. */
export function learnRules(inlineRules: InlineRules, agent: Agent, active: RuleRevisions): void {
  inlineRules.revisions.set(keyOf(agent), active);
}

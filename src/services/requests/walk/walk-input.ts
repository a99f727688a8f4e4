/** What the walk of a request needs besides its state: team policies, and a way to evaluate conditions. */
import type { ConditionFacts } from '../../../domain/conditions/types.ts';
import {
  requestConditions,
  type EscalationDocument,
  type TeamPolicyDocument,
} from '../../../domain/escalation/types.ts';
import type { WalkInput } from '../../../domain/escalation/walk.ts';
import type { WalkState } from '../../../domain/escalation/walk-state.ts';
import type { Db } from '../../../platform/postgres.ts';
import { loadTeamPolicyRevision } from '../../escalation/team-escalation-policies.ts';
import { conditionMatcher, type HeavyAnswers } from './condition-answers.ts';

export interface WalkPolicies {
  readonly input: WalkInput;
  /** Loads a policy. Call it before the walk enters the policy. */
  readonly learn: (revisionId: string) => Promise<void>;
}

/** The input of the request's walk, with the policies that it is inside. */
export async function walkInput(
  db: Db,
  {
    document,
    state,
    facts,
    answers,
    urgency,
  }: {
    document: EscalationDocument;
    state: WalkState;
    facts: ConditionFacts | undefined;
    answers: HeavyAnswers;
    urgency: WalkInput['urgency'];
  },
): Promise<WalkPolicies> {
  const policies = new Map<string, TeamPolicyDocument>();
  const learn = async (revisionId: string): Promise<void> => {
    if (!policies.has(revisionId))
      policies.set(revisionId, await loadTeamPolicyRevision(db, revisionId));
  };
  for (const { revisionId } of state.teams) await learn(revisionId);
  const policy = (revisionId: string): TeamPolicyDocument => {
    const known = policies.get(revisionId);
    if (!known)
      throw new Error(`the walk entered team policy revision ${revisionId} before it was read`);
    return known;
  };
  const matches = conditionMatcher(facts, answers, () =>
    [document, ...policies.values()].flatMap(requestConditions),
  );
  return { input: { document, policy, urgency, matches }, learn };
}

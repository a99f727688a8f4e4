/** What the walk of a request needs besides its state: team policies, and a way to evaluate conditions. */
import {
  compileCondition,
  evaluateCondition,
  type CompiledCondition,
} from '../../../domain/conditions/compile.ts';
import type { Condition } from '../../../domain/conditions/document.ts';
import { ConditionError, type ConditionFacts } from '../../../domain/conditions/types.ts';
import type { EscalationDocument, TeamPolicyDocument } from '../../../domain/escalation/types.ts';
import type { WalkInput } from '../../../domain/escalation/walk.ts';
import type { WalkState } from '../../../domain/escalation/walk-state.ts';
import type { Db } from '../../../platform/postgres.ts';
import { loadTeamPolicyRevision } from '../../escalation/team-escalation-policies.ts';

const compiled = new WeakMap<Condition, CompiledCondition>();

function compiledOnce(when: Condition): CompiledCondition {
  const known = compiled.get(when) ?? compileCondition(when);
  compiled.set(when, known);
  return known;
}

/** Without facts no condition holds. */
function matcher(facts: ConditionFacts | undefined): WalkInput['matches'] {
  if (!facts) return () => false;
  return (when) => {
    try {
      return evaluateCondition(compiledOnce(when), facts);
    } catch (error) {
      if (error instanceof ConditionError) return error.code;
      throw error;
    }
  };
}

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
    urgency,
  }: {
    document: EscalationDocument;
    state: WalkState;
    facts: ConditionFacts | undefined;
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
  return { input: { document, policy, urgency, matches: matcher(facts) }, learn };
}

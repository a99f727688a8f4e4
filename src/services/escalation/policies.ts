/** The policies that a walk may enter, and the conditions about the request that it may meet. */
import type { Condition } from '../../domain/conditions/document.ts';
import {
  requestConditions,
  type EscalationPathDocument,
  type TeamPolicyDocument,
} from '../../domain/escalation/types.ts';
import type { Db } from '../../platform/postgres.ts';
import { loadTeamPolicyRevision } from './team-escalation-policies.ts';

export interface LoadedPolicies {
  readonly policy: (revisionId: string) => TeamPolicyDocument;
  /** Those about the request, in any of the documents. */
  readonly conditions: readonly Condition[];
}

/** The policies of these revisions, and the conditions in them and in the path. */
export async function loadPolicies(
  db: Db,
  { document }: { readonly document: EscalationPathDocument },
  revisionIds: readonly string[],
): Promise<LoadedPolicies> {
  const policies = new Map<string, TeamPolicyDocument>();
  for (const id of new Set(revisionIds)) policies.set(id, await loadTeamPolicyRevision(db, id));
  return {
    policy: (id) => policies.get(id) ?? noPolicy(id),
    conditions: [document, ...policies.values()].flatMap(requestConditions),
  };
}

export function noPolicy(revisionId: string): never {
  throw new Error(`the walk entered team policy revision ${revisionId} before it was read`);
}

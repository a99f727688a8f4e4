/** What depends on a member: where escalation names them, and what ends with their membership. */
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { listPathsNaming, type NamingPath } from '../../data/escalation/escalation-paths.ts';
import {
  listPoliciesNaming,
  type NamingPolicy,
} from '../../data/escalation/team-escalation-policies.ts';
import { countLiveKeysOf } from '../../data/people/api-keys.ts';
import { findMember } from '../../data/people/memberships.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

/** The active paths and policies that target a member. */
export interface EscalationUses {
  readonly escalationPaths: readonly NamingPath[];
  readonly teamEscalationPolicies: readonly NamingPolicy[];
}

export async function findEscalationUses(
  db: Db,
  organizationId: string,
  id: string,
): Promise<EscalationUses> {
  return {
    escalationPaths: await listPathsNaming(db, organizationId, id),
    teamEscalationPolicies: await listPoliciesNaming(db, organizationId, id),
  };
}

/** The form used in error details and audit events. */
export function presentUses({ escalationPaths, teamEscalationPolicies }: EscalationUses) {
  return {
    escalation_paths: escalationPaths.map(({ pathKey, name, revision }) => ({
      path_key: pathKey,
      name,
      revision,
    })),
    team_escalation_policies: teamEscalationPolicies.map(({ teamId, teamName, revision }) => ({
      team_id: teamId,
      team_name: teamName,
      revision,
    })),
  };
}

interface MemberUses extends EscalationUses {
  /** Personal keys that would be revoked. */
  readonly liveKeyCount: number;
}

/** Throws 404. */
export async function getMemberUses(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  id: string,
): Promise<MemberUses> {
  if (!(await findMember(db, organizationId, id))) throw new AppError('not_found');
  return {
    ...(await findEscalationUses(db, organizationId, id)),
    liveKeyCount: await countLiveKeysOf(db, organizationId, id),
  };
}

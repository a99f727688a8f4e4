/** What a member may do in the end, and where each right comes from. */
import {
  findPolicyHolder,
  listMemberAccess,
  listPolicyResources,
} from '../../data/people/permission-policies.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { effectiveRights, type EffectiveRight } from '../../domain/people/effective-access.ts';
import { AppError } from '../../domain/errors.ts';
import type { PolicyResource, PolicyTerms } from '../../domain/people/permission-policies.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

export interface EffectiveAccess {
  readonly name: string;
  /** False for a suspended or removed member, who can use none of the rights. */
  readonly active: boolean;
  readonly rights: readonly EffectiveRight[];
  /** The agents and teams that the rights name. */
  readonly resources: readonly PolicyResource[];
}

/** At most four statements, whatever the member holds. Throws 404. */
export async function readMemberAccess(
  { db, edition }: ServiceContext,
  { organizationId }: MemberPrincipal,
  id: string,
): Promise<EffectiveAccess> {
  const state = await findPolicyHolder(db, organizationId, { kind: 'membership', id });
  if (!state) throw new AppError('not_found');
  const [member] = await listMemberAccess(db, organizationId, [id]);
  const rights = effectiveRights(member?.policies ?? [], edition);
  const resources = await namesOf(
    db,
    organizationId,
    rights.map(({ terms }) => terms),
  );
  return { name: state.name, active: state.active, rights, resources };
}

/** The agents and teams that terms name, archived ones too. */
export async function namesOf(
  db: Db,
  organizationId: string,
  terms: readonly PolicyTerms[],
): Promise<readonly PolicyResource[]> {
  const named = (kind: 'agent' | 'team') => ({
    live: [],
    named: [
      ...new Set(
        terms.flatMap(({ scopeKind, resourceIds }) => (scopeKind === kind ? resourceIds : [])),
      ),
    ],
  });
  const [agents, teams] = [named('agent'), named('team')];
  if (agents.named.length + teams.named.length === 0) return [];
  return await listPolicyResources(db, organizationId, { agents, teams });
}

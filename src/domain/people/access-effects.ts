/**
 * What a change of access takes and gives, and who may decide for agents afterwards. It reads policies as permission checks
 * do, by `grantsFromPolicies`.
 */
import {
  coveredBy,
  grantsOfTerms,
  isOwnerBy,
  OWNERSHIP,
  termsOf,
  type SourcePolicy,
} from './effective-access.ts';
import type { PolicyTerms } from './permission-policies.ts';
import { isServedBy, type Edition, type Grant, type Permission } from './permissions.ts';

/** What a member or an organization key has at one time. Who is not active may do nothing. */
export interface AccessState {
  readonly isActive: boolean;
  readonly policies: readonly SourcePolicy[];
}

/** What happens to the access of one holder. */
export type AccessChange =
  | { readonly kind: 'create'; readonly terms: PolicyTerms }
  | { readonly kind: 'replace'; readonly policyId: string; readonly terms: PolicyTerms }
  | { readonly kind: 'delete'; readonly policyId: string }
  | { readonly kind: 'join'; readonly policies: readonly SourcePolicy[] }
  | { readonly kind: 'leave'; readonly teamId: string }
  | { readonly kind: 'set_active'; readonly isActive: boolean };

/** The access of a holder once the change is saved. */
export function changedAccess(state: AccessState, change: AccessChange): AccessState {
  const { policies } = state;
  switch (change.kind) {
    case 'create':
      return {
        ...state,
        policies: [...policies, { ...change.terms, id: '', viaTeamId: null, viaTeamName: null }],
      };
    case 'replace':
      return {
        ...state,
        policies: policies.map((each) =>
          each.id === change.policyId ? { ...each, ...change.terms } : each,
        ),
      };
    case 'delete':
      return { ...state, policies: policies.filter(({ id }) => id !== change.policyId) };
    case 'join':
      return { ...state, policies: [...policies, ...change.policies] };
    case 'leave':
      return {
        ...state,
        policies: policies.filter(({ viaTeamId }) => viaTeamId !== change.teamId),
      };
    case 'set_active':
      return { ...state, isActive: change.isActive };
  }
}

/** What someone may do before and after a change. */
export interface AccessDifference {
  readonly gains: readonly PolicyTerms[];
  readonly losses: readonly PolicyTerms[];
  /** Of the permissions that are lost somewhere: where they stay. */
  readonly keeps: readonly PolicyTerms[];
}

const heldIn = ({ isActive, policies }: AccessState): readonly PolicyTerms[] =>
  isActive ? policies : [];

/** Ownership is told as itself, not as all that it includes. */
export function accessDifference(
  before: AccessState,
  after: AccessState,
  edition: Edition,
): AccessDifference {
  const [old, now] = [heldIn(before), heldIn(after)];
  const [owned, owns] = [isOwnerBy(old), isOwnerBy(now)];
  const served = ({ permission }: Grant) => isServedBy(edition, permission);
  const had = grantsOfTerms(old).filter(served);
  const has = grantsOfTerms(now).filter(served);
  const [wasHeld, isHeld] = [coveredBy(had), coveredBy(has)];
  const lost = had.filter((grant) => !isHeld(grant));
  const lostKeys = new Set<Permission>(lost.map(({ permission }) => permission));
  return {
    gains: owns ? (owned ? [] : [OWNERSHIP]) : termsOf(has.filter((grant) => !wasHeld(grant))),
    losses: owned ? (owns ? [] : [OWNERSHIP]) : termsOf(lost),
    keeps: termsOf(owned && !owns ? has : has.filter(({ permission }) => lostKeys.has(permission))),
  };
}

const DECIDE = 'request.decide';

/** Whether a holder may decide the requests of an agent. */
type Decides = (slug: string) => boolean;

/** Grants are looked through once, since many members are asked about many agents. */
function decidedAgents(state: AccessState): Decides {
  const deciding = heldIn(state)
    .filter(({ isOwner, permissions }) => isOwner || permissions.includes(DECIDE))
    .map((policy) => ({ ...policy, permissions: policy.isOwner ? policy.permissions : [DECIDE] }));
  const grants = grantsOfTerms(deciding).filter(({ permission }) => permission === DECIDE);
  const slugs = new Set(
    grants.flatMap(({ scope_kind: kind, scope_id: id = '' }) => (kind === 'agent' ? [id] : [])),
  );
  if (grants.some(({ scope_kind: kind }) => kind === 'organization')) return () => true;
  return (slug) => slugs.has(slug);
}

/** The agents for which the differences can change who may decide: all, or these. */
export function decidingChanges(
  differences: readonly AccessDifference[],
): 'all' | readonly string[] {
  const terms = differences
    .flatMap(({ gains, losses }) => [...gains, ...losses])
    .filter(({ isOwner, permissions }) => isOwner || permissions.includes(DECIDE));
  if (terms.some(({ scopeKind }) => scopeKind === 'organization')) return 'all';
  return [...new Set(terms.flatMap(({ resourceIds }) => resourceIds))];
}

/** A member or an organization key that a change concerns. */
export interface ChangedHolder {
  readonly id: string;
  readonly name: string;
  readonly before: AccessState;
  readonly after: AccessState;
}

/** Of those that a change does not concern: who may decide for an agent. The list holds only the first of them. */
export interface OtherDeciders {
  readonly deciders: readonly AgentDecider[];
  readonly count: number;
  readonly ownerCount: number;
}

export interface AgentDecider {
  readonly membershipId: string;
  readonly displayName: string;
  readonly isOwner: boolean;
}

/** Who may decide for an agent before and after a change. */
export interface AgentDeciders {
  readonly slug: string;
  readonly before: number;
  readonly after: number;
  /** How many of them own the organization. */
  readonly ownersAfter: number;
  /** Afterwards: others than owners first, each by name. At most as many as asked for. */
  readonly deciders: readonly AgentDecider[];
}

/** A member, and what they may decide before and after a change. */
export interface ChangedDecider {
  readonly decider: AgentDecider;
  readonly before: Decides;
  readonly after: Decides;
}

export const changedDecider = ({ id, name, before, after }: ChangedHolder): ChangedDecider => ({
  decider: { membershipId: id, displayName: name, isOwner: isOwnerBy(heldIn(after)) },
  before: decidedAgents(before),
  after: decidedAgents(after),
});

/** Whether the change of these members changes who may decide for the agent. */
export const hasOtherDeciders = (members: readonly ChangedDecider[], slug: string): boolean =>
  members.some(({ before, after }) => before(slug) !== after(slug));

export function agentDeciders(
  members: readonly ChangedDecider[],
  agents: ReadonlyMap<string, OtherDeciders>,
  limit: number,
): readonly AgentDeciders[] {
  return [...agents].map(([slug, others]) => {
    const now = members.filter(({ after }) => after(slug)).map(({ decider }) => decider);
    const had = members.filter(({ before }) => before(slug));
    return {
      slug,
      before: others.count + had.length,
      after: others.count + now.length,
      ownersAfter: others.ownerCount + now.filter(({ isOwner }) => isOwner).length,
      deciders: [...others.deciders, ...now].toSorted(byRankAndName).slice(0, limit),
    };
  });
}

function byRankAndName(a: AgentDecider, b: AgentDecider): number {
  if (a.isOwner !== b.isOwner) return a.isOwner ? 1 : -1;
  const [one, other] = [a.displayName.toLowerCase(), b.displayName.toLowerCase()];
  return one < other ? -1 : one > other ? 1 : 0;
}

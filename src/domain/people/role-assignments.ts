/** What a member or a team may do, one entry for each scope. */
import type { ScopeKind } from './permissions.ts';

/**
 * A policy of a member or a team at one scope. A policy for several agents becomes several of
 * these.
 */
export interface HeldAssignment {
  readonly principalId: string;
  readonly policyId: string;
  readonly scopeKind: ScopeKind;
  readonly scopeId: string | null;
  /** The name of the agent or team. Null at organization scope, and when it no longer exists. */
  readonly scopeName: string | null;
  readonly source: 'manual' | 'directory';
  readonly grantedByActorId: string | null;
  /** The team through which a member inherits it. */
  readonly viaTeamId: string | null;
  readonly viaTeamName: string | null;
  readonly permissions: readonly string[];
  readonly isOwner: boolean;
  readonly createdAt: Date;
}

/** What an organization uses of its limits now. */
import { NO_SCOPE, scopeOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { countLiveAgents } from '../../data/agents/agents.ts';
import { findOrganization } from '../../data/organization/organizations.ts';
import { countUsage, type UsageCounts } from '../../data/organization/usage.ts';
import { agentShare } from '../../domain/requests/engine/pending-cap.ts';
import { AppError } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { readSeats, type Seats } from '../people/seats.ts';

interface Use {
  readonly limit: number;
  readonly used: number;
}

export interface Usage extends UsageCounts {
  readonly agents: Use;
  readonly pendingLimit: number;
  /** How many requests of one agent may wait. */
  readonly agentPendingLimit: number;
  readonly seats: Seats;
}

export async function readUsage(
  context: ServiceContext,
  principal: ProductPrincipal,
): Promise<Usage> {
  const { db, limits } = context;
  const { organizationId } = principal;
  const named = scopeOf(principal, 'agent.read') ?? NO_SCOPE;
  const [organization, counts, agents, seats] = await Promise.all([
    findOrganization(db, organizationId),
    countUsage(db, organizationId, named),
    countLiveAgents(db, organizationId),
    readSeats(context, organizationId),
  ]);
  // Members of a deleted organization hold no credentials.
  if (!organization) throw new AppError('authentication_required');
  return {
    ...counts,
    agents: { limit: limits.activeAgents, used: agents },
    pendingLimit: limits.pendingRequests,
    agentPendingLimit: agentShare(limits.pendingRequests, organization.agentPendingShare),
    seats,
  };
}

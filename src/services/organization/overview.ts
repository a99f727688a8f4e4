/** The overview of an organization: figures about what the caller may see, and nothing else. */
import {
  DECIDED_DAYS,
  ENDING_DAYS,
  SILENT_DAYS,
  type Overview,
} from '../../domain/organization/overview.ts';
import { NO_SCOPE, scopeOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { listAccess } from '../../domain/requests/request-access.ts';
import {
  readDecided,
  readEnding,
  readEndingKeys,
  readSilent,
  readWaiting,
} from '../../data/requests/overview.ts';
import type { ServiceContext } from '../context.ts';

/** Older decisions do not count. It limits what one call reads. */
export const MOST_DECISIONS = 20_000;
const MOST_LISTED = 20;

/** At most two statements at a time, because one call must leave connections to others. */
export async function getOverview(
  { db, edition }: ServiceContext,
  principal: ProductPrincipal,
): Promise<Overview> {
  const { organizationId } = principal;
  const access = listAccess(principal);
  const agents = { scope: scopeOf(principal, 'agent.read') ?? NO_SCOPE, limit: MOST_LISTED };
  const [waiting, decided] = await Promise.all([
    readWaiting(db, organizationId, access),
    readDecided(db, organizationId, { access, days: DECIDED_DAYS, atMost: MOST_DECISIONS }),
  ]);
  const [ending, silent] = await Promise.all([
    readEnding(db, organizationId, { ...agents, days: ENDING_DAYS }),
    readSilent(db, organizationId, { ...agents, days: SILENT_DAYS }),
  ]);
  const endingKeys = await readEndingKeys(db, organizationId, {
    all: scopeOf(principal, 'api_key.read') !== undefined,
    // A key does not see the other keys of its member.
    own:
      principal.kind === 'member' && principal.via.kind === 'session'
        ? principal.membershipId
        : undefined,
    hasOrganizationKeys: edition === 'hosted',
    limit: MOST_LISTED,
  });
  return { waiting, decided, ending, endingKeys, silent };
}

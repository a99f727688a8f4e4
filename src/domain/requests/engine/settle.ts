/** What every plan does first: it expires a request past its deadline, and ends a claim past its end. */
import { isTerminal } from '../approval-requests.ts';
import { decidedByService, unchanged, withoutClaim, type Effects } from './effects.ts';
import type { RequestView } from './view.ts';

interface Settling {
  /** For the decision, if the request expires. */
  readonly decisionId: string;
  /** The workflow still has to notice an expiry. False in its own step. */
  readonly wakes: boolean;
}

/** The request at the instant of its view. Terminal if its deadline has passed. */
export function settled(view: RequestView, { decisionId: id, wakes }: Settling): Effects {
  const before = unchanged(view);
  const { state, deadlineAt, claim } = view.request;
  if (isTerminal(state)) return before;
  if (view.now >= deadlineAt) return decidedByService(before, { id, status: 'expired', wakes });
  return claim && view.now >= claim.expiresAt
    ? withoutClaim(before, { verb: 'claim_lapsed' })
    : before;
}

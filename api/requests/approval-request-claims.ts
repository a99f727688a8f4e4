/** Claims: a reviewer announces that they look after a request. */
import { z } from 'zod';
import type { Claim } from '../../src/domain/requests/approval-requests.ts';
import { claimRequest, releaseRequest } from '../../src/services/requests/claims.ts';
import { present } from '../http/present.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { timestamp, uuid } from '../http/schema.ts';

export const claimSchema = z
  .strictObject({
    id: uuid('Identifies the claim.'),
    membership_id: uuid('The reviewer who holds it.'),
    display_name: z.string().meta({ description: "The reviewer's name at the time of the claim." }),
    claimed_at: timestamp('When the claim was made.'),
    expires_at: timestamp(
      "When it ends by itself: after the organization's claim timeout, or at the deadline if that is earlier.",
    ),
  })
  .meta({
    id: 'Claim',
    description:
      'A reviewer looks after the request. A claim is advisory: everyone who may decide still can.',
  });

const claimExample = {
  id: '01970c4f-0000-7c3e-9d52-5f6f4f3f2a11',
  membership_id: '01970c01-0000-7c3e-9d52-5f6f4f3f2a11',
  display_name: 'Ada Lovelace',
  claimed_at: '2026-11-21T13:01:00.000Z',
  expires_at: '2026-11-21T13:16:00.000Z',
};

/** An expired claim is hidden, even before its end is recorded. */
export function presentClaim(claim: Claim | undefined) {
  return claim && !claim.lapsed ? present(claimSchema, claim) : undefined;
}

const params = z.strictObject({ id: uuid('The request.') });
const TAG = 'Review queue';

export const approvalRequestClaimEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'claimRequest',
    method: 'post',
    path: '/api/v1/requests/{id}/claim',
    tag: TAG,
    summary: 'Claim a request, so that no one else is asked meanwhile',
    description:
      'Requires `request.claim` and `request.decide` for the agent. The caller must also be on the escalation path at any level, in a ' +
      'team it names, or added by hand. Owners can always claim. `request.decide.unrouted` alone is not enough. Claiming again returns ' +
      'the same claim and does not extend it. It ends with a decision by anyone, and when its holder can no longer decide the request. ' +
      'A claim is not a decision, so it does not require a second factor.',
    auth: 'member',
    permission: 'request.claim',
    permissionAt: () => ({ kind: 'any' }),
    params,
    success: {
      status: 200,
      description: 'The claim.',
      body: z.strictObject({ claim: claimSchema }),
      example: { claim: claimExample },
    },
    errors: ['request_not_routed', 'claim_held', 'request_not_pending', 'request_evaluating'],
    handler: async ({ principal, params: { id } }, context) => ({
      body: { claim: presentClaim(await claimRequest(context, principal, id)) },
    }),
  }),
  defineEndpoint({
    operationId: 'releaseRequest',
    method: 'delete',
    path: '/api/v1/requests/{id}/claim',
    tag: TAG,
    summary: 'Release a claim',
    description:
      'Only its holder can release it; 404 without a live claim. When its holder can no longer decide the request, the service releases ' +
      'the claim. The escalation continues where it stopped. A level that fell due meanwhile is notified at once, and later levels wait ' +
      'their full time.',
    auth: 'member',
    permission: 'request.claim',
    permissionAt: () => ({ kind: 'any' }),
    params,
    success: { status: 204, description: 'The claim is released.' },
    errors: ['request_not_routed', 'not_claim_holder'],
    handler: async ({ principal, params: { id } }, context) => {
      await releaseRequest(context, principal, id);
      return {};
    },
  }),
];

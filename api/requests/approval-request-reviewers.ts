/** Asking colleagues for help with a request. */
import { z } from 'zod';
import {
  addReviewers,
  listReviewerCandidates,
  type ReviewerCandidate,
} from '../../src/services/requests/reviewers.ts';
import { addedSchema, presentAdded } from './approval-request-routing.ts';
import { present } from '../http/present.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { cursorQuery, limitQuery, nextCursor, timestamp, uuid } from '../http/schema.ts';

const candidateSchema = z
  .strictObject({
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Name of the person.' }),
    email: z.string().meta({ description: 'Email of the person.' }),
    already_routed: z.boolean().meta({
      description:
        'Whether the person is already on the escalation path, at any level, or was added before.',
    }),
    notified_at: timestamp(
      'When the person was first notified; absent for those who were not, such as people on a level that is not reached yet.',
    ).optional(),
  })
  .meta({
    id: 'ReviewerCandidate',
    description: 'A member who can be asked for help with the request.',
  });

const presentCandidate = (candidate: ReviewerCandidate) => present(candidateSchema, candidate);

const membershipId = '01970c05-0000-7c3e-9d52-5f6f4f3f2a11';
const candidateExample = {
  membership_id: membershipId,
  display_name: 'Grace Hopper',
  email: 'grace@example.com',
  already_routed: false,
};
const addedExample = {
  membership_id: membershipId,
  display_name: 'Grace Hopper',
  added_by: '01970c01-0000-7c3e-9d52-5f6f4f3f2a11',
  added_at: '2026-11-21T13:04:00.000Z',
};

const params = z.strictObject({ id: uuid('The request.') });
const TAG = 'Review queue';

export const approvalRequestReviewerEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listReviewerCandidates',
    method: 'get',
    path: '/api/v1/requests/{id}/reviewer-candidates',
    tag: TAG,
    summary: 'List who can be asked for help with a request',
    description:
      'Active members who hold `request.decide` for the agent, by name. The caller must be allowed to decide the request.',
    auth: 'member',
    permission: 'request.decide',
    permissionAt: () => ({ kind: 'any' }),
    params,
    query: z.strictObject({
      q: z.string().max(100).default('').meta({
        description: 'Only people whose name or email contains this text. Case is ignored.',
      }),
      limit: limitQuery(50),
      cursor: cursorQuery(),
    }),
    success: {
      status: 200,
      description: 'One page of candidates.',
      body: z.strictObject({
        candidates: z.array(candidateSchema).meta({ description: 'The candidates of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: { candidates: [candidateExample] },
    },
    errors: ['request_not_routed'],
    handler: async ({ principal, params: { id }, query: { q, limit, cursor } }, context) => {
      const keys = decodeCursor(
        cursor,
        z.tuple([z.literal('reviewer-candidates'), z.literal(id), z.literal(q), z.uuid()]),
      );
      const { candidates, next } = await listReviewerCandidates(context, principal, {
        id,
        q,
        limit,
        after: keys?.[3],
      });
      const next_cursor = next && encodeCursor(['reviewer-candidates', id, q, next]);
      return { body: { candidates: candidates.map(presentCandidate), next_cursor } };
    },
  }),
  defineEndpoint({
    operationId: 'addReviewers',
    method: 'post',
    path: '/api/v1/requests/{id}/reviewers',
    tag: TAG,
    summary: 'Ask colleagues for help with a request',
    description:
      'They are notified once and may decide from then on. This holds while the request is claimed, and for people that the escalation ' +
      'path targets later. The caller must be allowed to decide the request. Adding a person again changes nothing.',
    auth: 'member',
    permission: 'request.decide',
    permissionAt: () => ({ kind: 'any' }),
    params,
    body: z.strictObject({
      membership_ids: z.array(uuid('A membership.')).min(1).max(20).meta({
        description: 'Active members who hold `request.decide` for the agent of the request.',
      }),
    }),
    requestExample: { membership_ids: [membershipId] },
    success: {
      status: 200,
      description: 'Everyone who was added to the request.',
      body: z.strictObject({
        reviewers: z
          .array(addedSchema)
          .meta({ description: 'In the order in which they were added.' }),
      }),
      example: { reviewers: [addedExample] },
    },
    errors: ['request_not_routed', 'request_not_pending', 'request_evaluating'],
    handler: async ({ principal, params: { id }, body }, context) => {
      const reviewers = await addReviewers(context, principal, {
        id,
        membershipIds: body.membership_ids,
      });
      return { body: { reviewers: reviewers.map(presentAdded) } };
    },
  }),
];

/** Looking at hidden values of a request. */
import { z } from 'zod';
import { getRequest } from '../../src/services/requests/queue.ts';
import { revealValues } from '../../src/services/requests/queue/reveal.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { uuid } from '../http/schema.ts';

const POINTER = /^\/(?:arguments|context)(?:\/(?:[^~/]|~[01])*)*$/;

export const approvalRequestRevealEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'revealValues',
    method: 'post',
    path: '/api/v1/requests/{id}/reveal',
    tag: 'Review queue',
    summary: 'Record that hidden values are shown',
    description:
      'Call it before you show a person a hidden value: one that a presentation marks `sensitive`, whose name is one of `hidden_names`, or a text with a secret in it. The audit ' +
      'log and the timeline keep who looked at which values, as `approval_request.revealed`. Do not show them if the call fails. The values ' +
      'themselves are in the request.',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    admit: async ({ principal, params: { id } }, context) => {
      await getRequest(context, principal, id);
    },
    params: z.strictObject({ id: uuid('The request.') }),
    body: z.strictObject({
      pointers: z
        .array(
          z.string().max(1_000).regex(POINTER, {
            error:
              'must be a JSON pointer of at most 1,000 characters that begins with /arguments or /context',
          }),
        )
        .min(1)
        .max(100)
        .meta({
          description:
            'JSON pointers into the request, such as `/arguments/password`. `/arguments` means all of them.',
        }),
    }),
    requestExample: { pointers: ['/arguments/password'] },
    success: { status: 204, description: 'It is recorded. Show the values now.' },
    errors: ['request_not_routed'],
    handler: async ({ principal, params: { id }, body: { pointers } }, context) => {
      await revealValues(context, principal, { id, pointers });
      return {};
    },
  }),
];

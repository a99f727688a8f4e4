/** What the screens of requests read and send. */
import { queryOptions } from '@tanstack/react-query';
import type { JsonText } from '../../../../src/platform/json/exact-json.ts';
import type { components } from '../../shell/openapi.d.ts';
import { call } from '../../shell/api.ts';

type Sent = components['schemas']['ApprovalRequest'];

/** A request whose foreign values are source text. */
export type RequestDetail = Omit<Sent, 'arguments' | 'context'> & {
  readonly arguments: JsonText;
  readonly context?: JsonText;
};

const EXACT = ['arguments', 'context'];

export const queueQuery = queryOptions({
  queryKey: ['requests', 'list'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/requests', { signal, params: { query: { scope: 'decidable' } } }))
      .body.requests,
});

export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['requests', 'one', id],
    queryFn: async ({ signal }) => {
      const { body } = await call(
        'get',
        '/api/v1/requests/{id}',
        { signal, params: { path: { id } } },
        EXACT,
      );
      return body as unknown as RequestDetail;
    },
  });

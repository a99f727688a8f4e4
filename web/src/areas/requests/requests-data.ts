/** What the screens of requests read. */
import { queryOptions } from '@tanstack/react-query';
import type { JsonText } from '../../../../src/platform/json/exact-json.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import { serverNow } from '../../shared/api/clock.ts';
import { firstChanges } from '../../shared/live/changes.ts';

type Sent = components['schemas']['ApprovalRequestDetail'];

/** A request whose foreign values are source text. */
export type RequestDetail = Omit<Sent, 'arguments' | 'context'> & {
  readonly arguments: JsonText;
  readonly context?: JsonText;
};

export type Routing = components['schemas']['RequestRouting'];
export type TimelineEvent = components['schemas']['TimelineEvent'];

const EXACT = ['arguments', 'context'];

/** What was read ahead is not read again by the page that it was read for. */
export const JUST_READ_MS = 2_000;

export const requestKey = (id: string) => ['requests', 'one', id] as const;

export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: requestKey(id),
    queryFn: async ({ signal, client }) => {
      await firstChanges(client);
      const { body } = await call(
        'get',
        '/api/v1/requests/{id}',
        { headers: BACKGROUND, signal, params: { path: { id } } },
        EXACT,
      );
      return body as unknown as RequestDetail;
    },
    staleTime: JUST_READ_MS,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? START_LOOK_MS : false),
  });

/** How often the page looks whether an approved call was started and what came of it, which is no news of any queue. */
const START_LOOK_MS = 5_000;

/** For how long after its start the page looks for the result of a call. */
const RESULT_MS = 600_000;

/** Approved, and the agent may still start the call, or report its result. */
const isUnderWay = (request: RequestDetail): boolean => {
  const { started_at: startedAt, approval_expires_at: endsAt, result } = request;
  if (endsAt === undefined || result) return false;
  const until = startedAt === undefined ? Date.parse(endsAt) : Date.parse(startedAt) + RESULT_MS;
  return serverNow() < until;
};

/** Who is asked, and what happened. Both change with the request. */
export const routingQuery = ({ id, updated_at: version }: RequestDetail) =>
  queryOptions({
    queryKey: ['requests', 'routing', id, version],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/requests/{id}/routing', { signal, params: { path: { id } } }))
        .body,
    placeholderData: (previous) => previous,
  });

export const timelineQuery = ({ id, updated_at: version }: RequestDetail) =>
  queryOptions({
    queryKey: ['requests', 'timeline', id, version],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/requests/{id}/timeline', { signal, params: { path: { id } } }))
        .body.events,
    placeholderData: (previous) => previous,
  });

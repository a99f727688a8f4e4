/** What the page of the demo agent reads and sends as the person. What it does as the agent is in `agent-calls.ts`. */
import { queryOptions } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../../shared/api/api.ts';

export const demoQuery = queryOptions({
  queryKey: ['agents', 'demo'],
  queryFn: async ({ signal }) => (await call('get', '/api/v1/demo-agent', { signal })).body,
});

/** The caller keeps the token in memory, and nowhere else. */
export async function startDemo(): Promise<string> {
  return (await call('post', '/api/v1/demo-agent')).body.credential.token;
}

const POLL_MS = 2_000;

/** What the reader knows of a request that the agent does not: who decided, whether rules still run, and whether they may decide. */
export const decisionQuery = (id: string, status: string) =>
  queryOptions({
    queryKey: ['agents', 'demo', 'decision', id, status],
    queryFn: async ({ signal }) => {
      const init = { params: { path: { id } }, headers: BACKGROUND, signal };
      const { body } = await call('get', '/api/v1/requests/{id}', init);
      return {
        mayDecide: body.can_decide,
        isEvaluating: body.cannot_reason === 'request_evaluating',
        channel: body.decision?.channel,
        reviewer: body.decision?.reviewer_display_name,
      };
    },
    retry: false,
    // Who decided comes a moment after the decision.
    placeholderData: (before, query) => (query?.queryKey[3] === id ? before : undefined),
    // Rules may still be deciding. Then no one can.
    refetchInterval: ({ state: { data, error } }) =>
      status === 'pending' && !error && data?.mayDecide !== true ? POLL_MS : false,
  });

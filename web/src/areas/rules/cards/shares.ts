/** Where the requests of the last week ended. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';
import { callPipeline, scopeName, type Scope } from '../rules-data.ts';

/** `of`: all requests with a verdict. */
export interface Share {
  readonly count: number;
  readonly of: number;
}

const sharesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['pipelines', scopeName(scope), 'shares'],
    queryFn: async ({ signal }) =>
      await callPipeline(scope, ['get', '/concluding_blocks'], { signal }),
    staleTime: 60_000,
    retry: false,
  });

/** By the id of a block. Undefined where no request tells, or the reader may not see requests. */
export function useShares(scope: Scope): ((id: string) => Share) | undefined {
  const { data: account } = useQuery(accountQuery);
  const enabled = account !== undefined && hasPermissionFor(account, 'request.read', scope.agent);
  const { data } = useQuery({ ...sharesQuery(scope), enabled });
  if (!data || data.requests === 0) return undefined;
  const counts = new Map(data.blocks.map((each) => [each.block_id, each.requests]));
  return (id) => ({ count: counts.get(id) ?? 0, of: data.requests });
}

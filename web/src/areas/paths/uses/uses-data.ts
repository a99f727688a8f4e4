/** What uses a path, and archiving it. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/api.ts';
import type { components } from '../../../shared/api/openapi.d.ts';

export type PathUse = components['schemas']['EscalationPathUse'];

export const usesQuery = (pathKey: string) =>
  queryOptions({
    queryKey: ['escalation-paths', 'uses', pathKey],
    queryFn: async ({ signal }) => {
      const params = { path: { path_key: pathKey } };
      return (await call('get', '/api/v1/escalation-paths/{path_key}/uses', { params, signal }))
        .body;
    },
    // Archiving is refused all the same where more rules use the path by then.
    staleTime: 30_000,
    retry: false,
  });

export async function archivePath(pathKey: string): Promise<void> {
  const params = { path: { path_key: pathKey } };
  await call('delete', '/api/v1/escalation-paths/{path_key}', { params });
}

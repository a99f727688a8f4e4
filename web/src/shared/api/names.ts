/** The names of ids, for pages that know an id alone. */
import { queryOptions } from '@tanstack/react-query';
import { call } from './api.ts';

/** As many as one call takes. */
const MOST_NAMED = 200;

export const namesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['names', ids],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const pages = Array.from({ length: Math.ceil(ids.length / MOST_NAMED) }, (_, page) =>
        ids.slice(page * MOST_NAMED, (page + 1) * MOST_NAMED),
      );
      const responses = await Promise.all(
        pages.map((page) =>
          call('get', '/api/v1/names', { params: { query: { ids: page.join(',') } }, signal }),
        ),
      );
      return new Map(
        responses.flatMap(({ body }) =>
          body.names.map(({ id, display_name }) => [id, display_name]),
        ),
      );
    },
  });

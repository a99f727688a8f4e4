/** Which requests are like one: of the same agent and tool, and with the same main value. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/api.ts';
import type { Main } from '../../../shared/call/presented-call.ts';
import type { Summary } from '../queue/change-log.ts';
import type { QueueSearch } from '../queue/queue-search.ts';
import { requestQuery, type RequestDetail } from '../requests-data.ts';

/** A shorter text is in nearly all arguments, and a longer one in no others. */
const LEAST_CHARACTERS = 3;
const MOST_CHARACTERS = 100;

/** What the search of the queue finds the value by: its source text, without quotes. What names a thing goes before an amount. */
export function mainText(main: readonly Main[]): string | undefined {
  const values = main
    .filter(({ value, hidden }) => isSearched(value) && !hidden.parts.has(value.offset))
    .map(({ kind, value }) => ({
      isAmount: kind === 'money' || value.kind === 'number',
      text: value.kind === 'string' ? value.source.slice(1, -1) : value.source,
    }))
    .filter(({ text }) => text.length >= LEAST_CHARACTERS && text.length <= MOST_CHARACTERS);
  // A currency is next to the amount that it belongs to.
  const named = values.find(({ isAmount, text }) => !isAmount && !/^[A-Z]{3}$/.test(text));
  return (named ?? values.find(({ isAmount }) => isAmount))?.text;
}

const isSearched = ({ kind }: Main['value']): boolean => kind === 'string' || kind === 'number';

const MOST_SHOWN = 5;
const MOST_READ = 50;
/** Each is read whole, because lists have no digests. */
const MOST_IDENTICAL = 5;

export interface Like {
  readonly decided: readonly Summary[];
  /** Pending requests that make the very same call. */
  readonly identical: readonly Summary[];
}

/** The list of the queue that shows all of them. */
export const likeSearch = (request: RequestDetail, q: string | undefined): QueueSearch => ({
  tab: 'decided',
  agent: request.agent_slug,
  tool: request.tool,
  ...(q !== undefined && { q }),
});

export const likeQuery = (request: RequestDetail, q: string | undefined) =>
  queryOptions({
    queryKey: ['requests', 'like', request.id, q, request.identical_pending],
    queryFn: async ({ signal, client }): Promise<Like> => {
      const read = async (status: 'pending' | 'decided', limit: number) => {
        const query = {
          ...({ view: 'summary', scope: 'visible', status, limit } as const),
          ...{ agent_slug: request.agent_slug, tool: request.tool },
          ...(q !== undefined && { q }),
        };
        const { body } = await call('get', '/api/v1/requests', { signal, params: { query } });
        const found = body.requests as readonly Summary[];
        return found.filter(({ id, server }) => id !== request.id && server === request.server);
      };
      const [decided, pending] = await Promise.all([
        read('decided', MOST_SHOWN + 1),
        request.identical_pending > (request.status === 'pending' ? 1 : 0)
          ? read('pending', MOST_READ)
          : [],
      ]);
      return {
        decided: decided.slice(0, MOST_SHOWN),
        identical: await sameCalls(client, request, pending),
      };
    },
  });

async function sameCalls(
  client: QueryClient,
  request: RequestDetail,
  pending: readonly Summary[],
): Promise<readonly Summary[]> {
  const bytes = new TextEncoder().encode(request.arguments.text).length;
  const alike = pending
    .filter((each) => each.identical_pending > 1 && each.arguments_bytes === bytes)
    .slice(0, MOST_IDENTICAL);
  const details = await Promise.all(
    alike.map(async ({ id }) => await client.fetchQuery(requestQuery(id)).catch(() => undefined)),
  );
  return alike.filter(
    (_each, index) => details[index]?.arguments_digest === request.arguments_digest,
  );
}

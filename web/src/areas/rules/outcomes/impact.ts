/** What the rules would have made of the requests of the last week. */
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import {
  parseExact,
  stringifyExact,
  type JsonText,
} from '../../../../../src/platform/json/exact-json.ts';
import type { components } from '../../../shared/api/openapi.d.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { asText } from '../../../shared/editor/revisions.ts';
import { withValue } from '../../../shared/editor/splices.ts';
import { clockText } from '../../../shared/text/times.ts';
import { callPipeline, scopeName, type Scope } from '../rules-data.ts';
import { outcomes as text } from './text.ts';

export type Simulation = components['schemas']['PipelineSimulation'];

const WEEK_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;

/** On the hour, so that a cursor continues the same simulation. */
const weekAgo = (): string => {
  const now = Math.floor(serverNow() / HOUR_MS) * HOUR_MS;
  return new Date(now - WEEK_MS).toISOString();
};

export async function simulate(
  scope: Scope,
  {
    text: document,
    from,
    cursor,
  }: { readonly text: string; readonly from: string; readonly cursor?: string | undefined },
  signal?: AbortSignal,
): Promise<Simulation> {
  const dated = withValue(document, '/from_at', stringifyExact(from));
  const body = cursor === undefined ? dated : withValue(dated, '/cursor', stringifyExact(cursor));
  const sent = { ...asText(body), signal, keep: EXACT };
  return spelled(await callPipeline(scope, ['post', '/simulate'], sent));
}

const EXACT = ['changes'];

/** Amounts keep their zeros. */
const spelled = (body: Simulation): Simulation => ({
  ...body,
  changes: parseExact((body.changes as unknown as JsonText).text, {
    spelled: true,
  }) as unknown as Simulation['changes'],
});

const simulationQuery = (scope: Scope, document: string) => {
  const from = weekAgo();
  return queryOptions({
    queryKey: ['simulation', scopeName(scope), from, document],
    queryFn: async ({ signal }) => ({
      from,
      ...(await simulate(scope, { text: document, from }, signal)),
    }),
    staleTime: 60_000,
    // Documents are long, and each change makes another one.
    gcTime: 60_000,
    retry: false,
  });
};

/** The same, page by page. */
export const simulationPages = (scope: Scope, document: string) => {
  const from = weekAgo();
  return infiniteQueryOptions({
    queryKey: ['simulation', scopeName(scope), from, document, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: cursor }) =>
      await simulate(scope, { text: document, from, cursor }, signal),
    getNextPageParam: ({ next_cursor: next }) => next,
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
  });
};

export interface Impact {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly simulation: Simulation | undefined;
  readonly newlyApproved: number;
  /** What has to be ticked before activating. */
  readonly acknowledgment: string | undefined;
}

export function useImpact(scope: Scope, document: string, isWanted: boolean): Impact {
  const { data, isPending, isError } = useQuery({
    ...simulationQuery(scope, document),
    enabled: isWanted,
  });
  const newlyApproved = data ? countOf(data, 'approve') : 0;
  return {
    ...{ isPending: isPending && isWanted, isError, simulation: data, newlyApproved },
    acknowledgment: newlyApproved > 0 ? text.acknowledge(newlyApproved, sinceOf(data)) : undefined,
  };
}

/** Since when requests were checked, where one page does not hold all. */
export const sinceOf = (simulation: Pick<Simulation, 'ends_at'> | undefined): string | undefined =>
  simulation?.ends_at === undefined
    ? undefined
    : clockText(simulation.ends_at, serverNow() / 1_000);

/** How many would get a verdict that they did not have. Not all of them are listed. */
export const countOf = (
  { by_change: changes }: Pick<Simulation, 'by_change'>,
  verdict: 'approve' | 'deny' | 'human',
): number =>
  changes.filter((each) => each.would_be === verdict).reduce((sum, { count }) => sum + count, 0);

/** The immutable documents of a view: its path, the policies of teams on it, and what their conditions say about the request. */
import { isTerminal } from '../../domain/requests/approval-requests.ts';
import { conditionFacts } from '../../domain/requests/condition-facts.ts';
import type { Documents, PathRevision, RequestView } from '../../domain/requests/engine/view.ts';
import { stateOf } from '../../domain/requests/engine/walk.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';
import { loadEscalationPathRevision } from '../escalation/escalation-paths.ts';
import { loadPolicies, noPolicy, type LoadedPolicies } from '../escalation/policies.ts';
import { evaluateConditions, type KnownMatches } from '../evaluation/conditions.ts';
import { poolKeyOf } from '../evaluation/evaluate.ts';

/** Revisions never change, and are usually cached. */
export async function loadPath(
  db: Db,
  { pathRevisionId }: Pick<RequestView, 'pathRevisionId'>,
): Promise<PathRevision | undefined> {
  return pathRevisionId === undefined
    ? undefined
    : await loadEscalationPathRevision(db, pathRevisionId);
}

export interface LoadedDocuments extends LoadedPolicies {
  readonly path: PathRevision | undefined;
}

/** Of a view with people: also the policies of the teams that a walk is inside of, or may enter. */
export async function loadDocuments(db: Db, view: RequestView): Promise<LoadedDocuments> {
  const path = isTerminal(view.request.state) ? undefined : await loadPath(db, view);
  if (!path || !view.routing) return { path, policy: noPolicy, conditions: [] };
  const entered = stateOf(view.request, path).teams.map(({ revisionId }) => revisionId);
  const active = [...view.routing.people.teams.values()].flatMap(({ policyRevisionId: id }) =>
    id === undefined ? [] : [id],
  );
  return { path, ...(await loadPolicies(db, path, [...entered, ...active])) };
}

/** With the matches of the conditions. `metadata`: what blocks returned, when the view does not have it yet. */
export async function evaluateDocuments(
  runtime: Pick<Runtime, 'workerPool'>,
  { path, policy, conditions }: LoadedDocuments,
  {
    view: { request },
    metadata = request.previousMetadata,
    known,
    onBehalfOf = poolKeyOf(request),
  }: {
    readonly view: RequestView;
    readonly metadata?: JsonText | undefined;
    readonly known?: KnownMatches;
    readonly onBehalfOf?: string;
  },
): Promise<Documents> {
  const facts = conditionFacts(metadata ? { ...request, previousMetadata: metadata } : request);
  const matches = await evaluateConditions(runtime, {
    ...{ conditions, facts, onBehalfOf },
    ...(known && { known }),
  });
  return { path, policy, matches };
}

/**
 * The usual hand-over to people: a read, the walk in memory, and one statement that writes what the
 * transaction of a step would. It gives up when something changes meanwhile, and when its first
 * level is not plain.
 */
import { handOverIfUnchanged, readToHandOver } from '../../data/requests/hand-over-unchanged.ts';
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import { waitsForPeople } from '../../domain/escalation/walk-state.ts';
import { uncountedBelow } from '../../data/requests/pending-caps.ts';
import { buildRequest, type ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { ServiceContext } from '../context.ts';
import {
  loadEscalationPathRevision,
  type LoadedEscalationPath,
} from '../escalation/escalation-paths.ts';
import type { Evaluated } from './evaluation/evaluate.ts';
import { routing } from './hand-over.ts';
import { isOver } from './unreachable.ts';
import { plainWrites, pathlessWrites, type Recorded } from './walk/walk-record.ts';
import {
  followPath,
  isNoticeable,
  planOf,
  stateOf,
  type WalkProgress,
  type WalkResult,
  type WalkTask,
} from './walk/walk.ts';

interface HandOverOptions extends Pick<WalkTask, 'by' | 'answers'> {
  readonly evaluated: Evaluated;
  /** As in a step: an instant known to have passed. */
  readonly floor: Date;
}

/** The wait for people, and the key of the path. */
type HandedOver = WalkResult & { readonly path?: string };

/** Undefined when nothing was written, so that the step must go on under a lock. */
export async function handOverUnchanged(
  context: ServiceContext,
  evaluating: ApprovalRequest,
  { evaluated, floor, by, answers }: HandOverOptions,
): Promise<HandedOver | undefined> {
  const { pendingRequests: cap } = context.limits;
  const uncounted = uncountedBelow(cap);
  if (uncounted === 0 || evaluated.verdict.outcome !== 'human') return undefined;
  const { db } = context;
  const view = await readToHandOver(db, evaluating, {
    floor,
    pathKeys: evaluated.paths.map(({ key }) => key),
  });
  if (!view || view.now >= evaluating.deadlineAt) return undefined;
  const { now, deciders } = view;
  const path = view.path && (await loadEscalationPathRevision(db, view.path.revisionId));
  const { route, events } = routing(evaluating, { evaluated, path: view.path, now });
  const { previousMetadata = evaluating.previousMetadata } = evaluated;
  const request = buildRequest({ ...evaluating, previousMetadata, state: 'pending', route });
  const first = path
    ? await firstLevel(context, { request, path, now, deciders, answers })
    : deciders.length > 0 && pathless({ request, now, deciders });
  if (!first) return undefined;
  const { plan, walked } = planOf({ request, now, by, path }, first.advanced);
  const handedOver = await handOverIfUnchanged(db, request, {
    view,
    route,
    plan,
    writes: {
      ...first.writes,
      requestId: request.id,
      events: [...events, ...first.writes.events],
    },
    ...{ cap, uncounted },
    byEmail: context.mailer !== undefined,
  });
  return handedOver ? { ...walked, ...(path && { path: path.pathKey }) } : undefined;
}

interface FirstLevel {
  readonly advanced: WalkProgress;
  readonly writes: ReturnType<typeof pathlessWrites>;
}

/** The walk up to its first wait. Undefined when that is not plain. */
async function firstLevel(
  { db }: ServiceContext,
  walk: Recorded & Pick<WalkTask, 'answers'> & { readonly path: LoadedEscalationPath },
): Promise<FirstLevel | undefined> {
  const followed = await followPath(db, walk, {
    state: stateOf(walk.request, walk.path),
    deciders: () => Promise.resolve([...walk.deciders]),
  });
  const { state } = followed;
  // No one is asked yet. If no one will be, the step tells the owners.
  if (!waitsForPeople(state) && (isOver(state) || !(await mayAskLater(db, walk)))) return undefined;
  const writes = state.teams.length === 0 ? plainWrites(followed.events, walk) : undefined;
  const noticeable = isNoticeable(followed.events);
  return writes && { writes, advanced: { ...followed, noticeable, rightsChanging: false } };
}

/** Whether the path targets anyone it may ask now, at any of its levels. */
async function mayAskLater(
  db: ServiceContext['db'],
  { request, path: { targets }, deciders }: Recorded & { readonly path: LoadedEscalationPath },
): Promise<boolean> {
  const people = new Set(deciders.map(({ membershipId }) => membershipId));
  const teamIds = targets.flatMap((target) => (target.type === 'team' ? [target.id] : []));
  const isNamed = targets.some((target) =>
    target.type === 'broadcast' ? people.size > 0 : people.has(target.id),
  );
  if (isNamed || teamIds.length === 0) return isNamed;
  const rosters = await findTeamRosters(db, request.organizationId, teamIds);
  return [...rosters.values()].some(({ members }) =>
    members.some(({ membershipId }) => people.has(membershipId)),
  );
}

function pathless(first: Recorded): FirstLevel {
  const { urgency } = first.request;
  return {
    writes: pathlessWrites(first),
    advanced: { noticeable: first.deciders.length > 0, urgency, rightsChanging: false },
  };
}

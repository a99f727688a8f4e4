/**
 * Due levels of many requests: a read, the walk of each in memory, and one statement that writes
 * what the transaction of each step would. It leaves out a request that changes meanwhile, and one
 * whose step is not plain.
 */
import { findAskedDeciders } from '../../data/requests/deciders.ts';
import {
  readDueLevels,
  stepLevelsIfUnchanged,
  type DueLevel,
  type LevelStep,
} from '../../data/requests/levels-unchanged.ts';
import { findUnreachable } from '../../data/requests/unreachable-notices.ts';
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import { requestConditions } from '../../domain/escalation/types.ts';
import { waitsForPeople, type WalkState } from '../../domain/escalation/walk-state.ts';
import type { Decider } from '../../domain/requests/deciders.ts';
import { takeTurns } from '../../platform/event-loop.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { loadEscalationPathRevision } from '../escalation/escalation-paths.ts';
import { isOver } from './unreachable.ts';
import type { HeavyAnswers } from './walk/condition-answers.ts';
import { plainWrites } from './walk/walk-record.ts';
import {
  followPath,
  isNoticeable,
  planOf,
  stateOf,
  type FindRosters,
  type WalkResult,
} from './walk/walk.ts';

/** The wait that follows, and the key of the path. */
export type SteppedLevel = WalkResult & { readonly path: string };

/** What was stepped, by id. The other requests are as before. */
export async function stepLevelsUnchanged(
  context: ServiceContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SteppedLevel>> {
  if (ids.length === 0) return new Map();
  const { db, mailer } = context;
  const due = await readDueLevels(db, ids);
  const people = peopleOf(db);
  const nextItem = takeTurns();
  const steps: PlannedStep[] = [];
  for (const each of due) {
    // A step of its own says what is wrong.
    const step = await planLevel(db, each, people).catch(() => undefined);
    if (step) steps.push(step);
    await nextItem();
  }
  const stepped = new Map<string, SteppedLevel>();
  for (const part of partsOf(await withoutUnreachable(db, steps), peopleAsked, MOST_PEOPLE)) {
    const byEmail = mailer !== undefined;
    const written = new Set(await stepLevelsIfUnchanged(db, part, { byEmail }));
    for (const { due: each, walked } of part)
      if (written.has(each.request.id)) stepped.set(each.request.id, walked);
    for (const id of written) context.changes.publish(id);
  }
  return stepped;
}

/** People that one statement notifies. Until it commits it holds its requests and organizations. */
const MOST_PEOPLE = 2_000;

const peopleAsked = ({ writes }: PlannedStep) => writes.level?.membershipIds.length ?? 0;

/** Exported for tests: consecutive items of at most this weight together. A heavier item is left out. */
export function partsOf<Item>(
  items: readonly Item[],
  weigh: (item: Item) => number,
  most: number,
): Item[][] {
  const parts: Item[][] = [];
  let room = 0;
  for (const item of items.filter((each) => weigh(each) <= most)) {
    const weight = weigh(item);
    if (parts.length === 0 || weight > room) {
      parts.push([]);
      room = most;
    }
    parts.at(-1)?.push(item);
    room -= weight;
  }
  return parts;
}

type PlannedStep = LevelStep & { readonly walked: SteppedLevel; readonly state: WalkState };

/** Without requests whose step may have to tell their owners that no one is left to decide. */
async function withoutUnreachable(db: Db, steps: readonly PlannedStep[]): Promise<PlannedStep[]> {
  const unasked = steps.filter(({ state }) => !waitsForPeople(state));
  const unreachable = new Set(
    await findUnreachable(
      db,
      unasked.map(({ due, state }) => ({ id: due.request.id, over: isOver(state) })),
    ),
  );
  return steps.filter(({ due }) => !unreachable.has(due.request.id));
}

const NO_ANSWERS: HeavyAnswers = new Map();

/** Undefined when the step needs more than `due` has, or writes more than a level. */
async function planLevel(db: Db, due: DueLevel, people: People): Promise<PlannedStep | undefined> {
  const { request, now } = due;
  const revisionId = request.route?.pathRevisionId;
  if (revisionId === undefined || now >= request.deadlineAt) return undefined;
  const path = await loadEscalationPathRevision(db, revisionId);
  // A condition would read what the agent sent.
  if (requestConditions(path.document).length > 0) return undefined;
  const state = stateOf(request, path);
  const isMidway = state.place.phase === 'level' && now < state.place.nextAt;
  if (isMidway || state.teams.length > 0) return undefined;
  const deciders = () => people.deciders(due);
  const followed = await followPath(
    db,
    { request, path, now, answers: NO_ANSWERS },
    { state, deciders, rosters: people.rosters(due) },
  );
  const { events } = followed;
  if (followed.state.teams.length > 0) return undefined;
  const names = events.length > 0 ? await deciders() : [];
  const writes = plainWrites(events, { request, now, path, deciders: names });
  if (!writes) return undefined;
  const { plan, walked } = planOf(
    { request, now, by: 'reconciler', path },
    { ...followed, noticeable: isNoticeable(events), rightsChanging: false },
  );
  return {
    due,
    plan,
    state: followed.state,
    writes: { ...writes, requestId: request.id },
    walked: { ...walked, path: path.pathKey },
  };
}

interface People {
  readonly deciders: (due: DueLevel) => Promise<Decider[]>;
  readonly rosters: (due: DueLevel) => FindRosters;
}

/** Reads each agent's deciders and each level's teams once for all requests of one access version. */
function peopleOf(db: Db): People {
  const deciders = new Map<string, Promise<Decider[]>>();
  const rosters = new Map<string, ReturnType<FindRosters>>();
  return {
    deciders: ({ request: { organizationId, agentSlug }, accessVersion }) =>
      once(deciders, [organizationId, accessVersion, agentSlug], () =>
        findAskedDeciders(db, organizationId, agentSlug),
      ),
    rosters:
      ({ request: { organizationId }, accessVersion }) =>
      async (teamIds) =>
        await once(rosters, [organizationId, accessVersion, ...teamIds], () =>
          findTeamRosters(db, organizationId, teamIds),
        ),
  };
}

function once<T>(
  known: Map<string, Promise<T>>,
  key: readonly (string | number)[],
  read: () => Promise<T>,
): Promise<T> {
  const name = key.join(' ');
  const value = known.get(name) ?? read();
  known.set(name, value);
  return value;
}

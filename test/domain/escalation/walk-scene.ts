/** Paths of levels, and walks along them as the service takes their steps. Instants are minutes after a fixed start. */
import { parseDuration } from '../../../src/domain/durations.ts';
import type {
  EscalationPathDocument,
  LevelNode,
  Target,
} from '../../../src/domain/escalation/types.ts';
import { arrive, enterLevel, startWalk } from '../../../src/domain/escalation/walk.ts';
import type { WalkEvent, WalkInput, WalkStep } from '../../../src/domain/escalation/walk.ts';
import type { Place, WalkState } from '../../../src/domain/escalation/walk-state.ts';

export const MINUTE = 60_000;
export const start = new Date('2026-03-01T12:00:00.000Z');
export const at = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
export const ms = (wait: string) => parseDuration(wait) ?? Number.NaN;

export const everyone: Target = { type: 'broadcast' };
export const user = (id: string): Target => ({ type: 'user', id });
export const level = (
  id: string,
  wait = '10m',
  targets: readonly Target[] = [user(`of-${id}`)],
): LevelNode => ({
  id,
  type: 'level',
  targets,
  escalate_after: wait,
  raise_urgency: false,
});
export interface LevelsOnly extends EscalationPathDocument {
  readonly nodes: readonly LevelNode[];
}
export function path(
  nodes: readonly LevelNode[],
  repeat?: EscalationPathDocument['repeat'],
): LevelsOnly {
  return { name: 'Path', working_hours: [], nodes, ...(repeat && { repeat }) };
}

export const input = (document: EscalationPathDocument): WalkInput => ({
  document,
  policy: () => {
    throw new Error('no team is asked');
  },
  urgency: 'standard',
  matches: () => false,
});

/** The people who can be notified for these targets. Attempts count from 0 over the whole walk. */
export type Resolver = (targets: readonly Target[], attempt: number) => readonly string[];
export const allThere: Resolver = (targets) =>
  targets.map((target) => (target.type === 'user' ? target.id : 'someone'));
export const noOne: Resolver = () => [];

/** One step as the service takes it. `resolve` runs only when the walk enters a level. */
export function advance(
  document: EscalationPathDocument,
  state: WalkState,
  { now, resolve }: { now: Date; resolve: (targets: readonly Target[]) => readonly string[] },
): WalkStep {
  const arrival = arrive(input(document), state, now);
  const membershipIds = arrival.entry ? resolve(arrival.entry.level.targets) : [];
  return enterLevel(input(document), arrival, { now, asked: { membershipIds, teams: [] } });
}

export const there =
  (...ids: readonly string[]) =>
  () =>
    ids;
export const never = (): readonly string[] => {
  throw new Error('a level was entered before its time');
};
/** A walk at this place. A level has notified someone. */
export const being = (place: Place): WalkState => ({
  place,
  teams: [],
  notified: place.phase === 'level',
});

export interface Course {
  readonly events: readonly WalkEvent[];
  readonly calls: number;
  readonly end: WalkState;
}

/** Walks to the end. `delays` (ms) are how late each wake-up comes. */
export function walk(
  document: EscalationPathDocument,
  { resolve = allThere, delays = [] }: { resolve?: Resolver; delays?: readonly number[] } = {},
): Course {
  let state = startWalk(document);
  let now = start;
  let attempts = 0;
  const events: WalkEvent[] = [];
  for (let calls = 1; calls <= 500; calls += 1) {
    const before = attempts;
    const step = advance(document, state, {
      now,
      resolve: (targets) => resolve(targets, attempts++),
    });
    const levels = step.events.filter(
      (event) => event.kind === 'level_notified' || event.kind === 'level_skipped',
    );
    if (levels.length !== attempts - before)
      throw new Error('people were looked for outside a level');
    events.push(...step.events);
    ({ state } = step);
    if (!step.nextAt) return { events, calls, end: state };
    if (step.nextAt > now)
      now = new Date(step.nextAt.getTime() + (delays[calls % (delays.length || 1)] ?? 0));
  }
  throw new Error('the walk does not end');
}

export const words = (events: readonly WalkEvent[]) =>
  events.map((event) => {
    const minutes = (event.at.getTime() - start.getTime()) / MINUTE;
    const isLevel = event.kind === 'level_notified' || event.kind === 'level_skipped';
    return isLevel
      ? `${minutes} ${event.kind} ${event.nodeId} in ${event.run}`
      : `${minutes} ${event.kind}`;
  });

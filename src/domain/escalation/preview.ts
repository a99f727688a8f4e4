/** The steps a walk would take if no one decided. People use them to check a path. */
import { DateTime } from 'luxon';
import type { EscalationDocument, Target } from './types.ts';
import {
  arrive,
  enterLevel,
  type Asked,
  type LevelEntry,
  type WalkEvent,
  type WalkInput,
} from './walk.ts';
import type { WalkState } from './walk-state.ts';

/** `targets`: those of the level, for a notified level; empty for other steps. */
export type PlannedStep = WalkEvent & { readonly targets: readonly Target[] };

export interface PreviewOptions {
  readonly from: WalkState;
  readonly now: Date;
  /** The people at a level. */
  readonly ask: (entry: LevelEntry) => Asked;
}

const NO_ONE: Asked = { membershipIds: [], teams: [] };

export function* walkAhead(
  input: WalkInput,
  { from, ask, ...options }: PreviewOptions,
): Generator<PlannedStep, void> {
  let { now } = options;
  let state = from;
  let { urgency } = input;
  for (;;) {
    const arrival = arrive({ ...input, urgency }, state, now);
    const { entry } = arrival;
    const asked = entry ? ask(entry) : NO_ONE;
    const step = enterLevel({ ...input, urgency }, arrival, { now, asked });
    for (const event of step.events) {
      const targets = event.kind === 'level_notified' ? (entry?.level.targets ?? []) : [];
      yield { ...event, targets };
    }
    ({ state, urgency } = step);
    if (!step.nextAt) return;
    if (step.nextAt > now) now = step.nextAt;
  }
}

/**
 * The steps as a timeline would record them. At one instant a level notifies each person once, and
 * a level without people does not appear.
 */
export function* asInTimeline(steps: Iterable<PlannedStep>): Generator<PlannedStep, void> {
  let moment = '';
  let notified = new Set<string>();
  for (const step of steps) {
    if (step.kind !== 'level_notified') {
      yield step;
      continue;
    }
    const now = `${step.at.getTime()} ${step.nodeId} ${step.run}`;
    if (now !== moment) notified = new Set();
    moment = now;
    const membershipIds = step.membershipIds.filter((id) => !notified.has(id));
    for (const id of membershipIds) notified.add(id);
    if (membershipIds.length > 0) yield { ...step, membershipIds };
  }
}

export interface Preview {
  readonly steps: readonly PlannedStep[];
  /** There are more steps. */
  readonly truncated: boolean;
}

/** The first `limit` steps. */
export function take(steps: Iterable<PlannedStep>, limit: number): Preview {
  const taken: PlannedStep[] = [];
  for (const step of steps) {
    if (taken.length === limit) return { steps: taken, truncated: true };
    taken.push(step);
  }
  return { steps: taken, truncated: false };
}

/** What clocks show at an instant in a time zone, with the offset: `2026-03-02T09:00:00.000+01:00`. */
export interface LocalTime {
  readonly timezone: string;
  readonly at: string;
}

/** The instant in each time zone of the document's working hours, each zone once. */
export function localTimes(
  { working_hours: sets }: EscalationDocument,
  at: Date,
): readonly LocalTime[] {
  const zones = [...new Set(sets.map(({ timezone }) => timezone))];
  return zones.map((zone) => ({
    timezone: zone,
    at: DateTime.fromJSDate(at, { zone }).toISO({ includeOffset: true }) ?? '',
  }));
}

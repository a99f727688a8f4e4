/** What a walk would do if nobody answered and everybody asked were there: the schedule people check a path by. */
import { DateTime } from 'luxon';
import type { StepPlace } from './step-keys.ts';
import type { EscalationDocument, LevelNode, Target } from './types.ts';
import { arrive, enterLevel, type Asked, type WalkEvent, type WalkInput } from './walk.ts';
import type { WalkState } from './walk-state.ts';

export interface PlannedStep extends StepPlace {
  readonly at: Date;
  readonly kind: WalkEvent['kind'];
  readonly targets: readonly Target[];
  /** When the walk goes on: the end of a level's wait, or of a deferral. */
  readonly until?: Date;
}

export interface Preview {
  readonly steps: readonly PlannedStep[];
  /** More steps follow than were asked for. */
  readonly truncated: boolean;
}

export interface PreviewOptions {
  readonly from: WalkState;
  readonly now: Date;
  /** The active policies of teams, by team id. */
  readonly policies: ReadonlyMap<string, string>;
  readonly limit: number;
}

/** The steps to come, in order. Teams with a policy go by it; everybody else is taken to be reachable. */
export function previewWalk(
  input: WalkInput,
  { from, policies, limit, ...options }: PreviewOptions,
): Preview {
  const steps: PlannedStep[] = [];
  let { now } = options;
  let state = from;
  let { urgency } = input;
  for (;;) {
    const arrival = arrive({ ...input, urgency }, state, now);
    const { entry } = arrival;
    const asked = entry
      ? everybody(entry.level, entry.team === undefined ? policies : new Map())
      : { membershipIds: [], teams: [] };
    const step = enterLevel({ ...input, urgency }, arrival, { now, asked });
    steps.push(...step.events.map((event) => planned(event, entry?.level)));
    ({ state, urgency } = step);
    if (steps.length > limit) return { steps: steps.slice(0, limit), truncated: true };
    if (!step.nextAt) return { steps, truncated: false };
    if (step.nextAt > now) now = step.nextAt;
  }
}

function everybody({ targets }: LevelNode, policies: ReadonlyMap<string, string>): Asked {
  const teams = targets.flatMap(({ ...target }) => {
    const revisionId = target.type === 'team' ? policies.get(target.id) : undefined;
    return target.type === 'team' && revisionId !== undefined
      ? [{ teamId: target.id, revisionId }]
      : [];
  });
  return { membershipIds: teams.length < targets.length ? ['somebody'] : [], teams };
}

function planned(event: WalkEvent, level: LevelNode | undefined): PlannedStep {
  const { kind, at, nodeId, run, team } = event;
  const until =
    event.kind === 'level_notified'
      ? event.escalateAt
      : event.kind === 'deferred'
        ? event.until
        : undefined;
  return {
    at,
    kind,
    nodeId,
    run,
    ...(team && { team }),
    targets: event.kind === 'level_notified' ? (level?.targets ?? []) : [],
    ...(until && { until }),
  };
}

/** What clocks show at an instant in a time zone, with the offset: `2026-03-02T09:00:00.000+01:00`. */
export interface LocalTime {
  readonly timezone: string;
  readonly at: string;
}

/** The instant in each zone in which the document has working hours, each zone once. */
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

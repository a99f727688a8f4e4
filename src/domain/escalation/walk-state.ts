/**
 * Where a walk is, and how that is stored. A place names its node by id, so it holds for one
 * document only.
 */

/**
 * The walk enters `nodeId` next, at once. Without a `nodeId` it is at the end of the nodes. `since`
 * is when that became due.
 */
export interface EnterPlace {
  readonly phase: 'enter';
  readonly run: number;
  readonly nodeId?: string;
  readonly since?: Date;
  readonly nextAt?: Date;
}

/**
 * A level has notified its people, or working hours are awaited, since `since` and until `nextAt`.
 */
export interface WaitPlace<Phase extends 'level' | 'defer'> {
  readonly phase: Phase;
  readonly run: number;
  readonly nodeId: string;
  readonly since: Date;
  readonly nextAt: Date;
}

/** The run ended at `since`; the next one starts at `nextAt`. */
export interface RepeatPlace {
  readonly phase: 'repeat';
  readonly run: number;
  readonly nodeId?: undefined;
  readonly since: Date;
  readonly nextAt: Date;
}

/** The last run ended at `since`. Everyone notified can still decide. */
export interface ExhaustedPlace {
  readonly phase: 'exhausted';
  readonly run: number;
  readonly nodeId?: undefined;
  readonly since: Date;
  readonly nextAt?: undefined;
}

/** Where the walk of one document is. Runs count from 1. */
export type Place =
  EnterPlace | WaitPlace<'level'> | WaitPlace<'defer'> | RepeatPlace | ExhaustedPlace;

/**
 * The walk of a team's policy inside a level, by the revision that was active on entering the
 * level.
 */
export interface TeamWalk {
  readonly teamId: string;
  readonly revisionId: string;
  readonly place: Place;
}

/**
 * `teams` walk inside the level at `place`. `notified`: that level has notified someone in this
 * run.
 */
export interface WalkState {
  readonly place: Place;
  readonly teams: readonly TeamWalk[];
  readonly notified: boolean;
}

/** Whether it waits at a level for people it has notified there. */
export function waitsForPeople({ place, notified }: WalkState): boolean {
  return place.phase === 'level' && notified;
}

/** When the next thing is due; undefined when the walk is over. */
export function dueAt({ place, teams }: WalkState): Date | undefined {
  const instants = [place, ...teams.map((team) => team.place)].flatMap(({ nextAt }) =>
    nextAt ? [nextAt.getTime()] : [],
  );
  return instants.length === 0 ? undefined : new Date(Math.min(...instants));
}

/** A place as stored: instants are ISO strings. */
export interface PlaceJson {
  readonly run: number;
  readonly phase: Place['phase'];
  readonly nodeId?: string;
  readonly since?: string;
  readonly nextAt?: string;
}

export interface WalkJson extends PlaceJson {
  readonly told?: true;
  readonly teams?: readonly {
    readonly teamId: string;
    readonly revisionId: string;
    readonly place: PlaceJson;
  }[];
}

export function walkToJson({ place, teams, notified }: WalkState): WalkJson {
  return {
    ...placeToJson(place),
    ...(notified && { told: notified }),
    ...(teams.length > 0 && {
      teams: teams.map((team) => ({ ...team, place: placeToJson(team.place) })),
    }),
  };
}

function placeToJson({ run, phase, nodeId, since, nextAt }: Place): PlaceJson {
  return {
    run,
    phase,
    ...(nodeId !== undefined && { nodeId }),
    ...(since && { since: since.toISOString() }),
    ...(nextAt && { nextAt: nextAt.toISOString() }),
  };
}

/**
 * Reads what `walkToJson` wrote. It throws on anything else: a walk that guesses could notify the
 * wrong people.
 */
export function walkFromJson(value: unknown): WalkState {
  const json = members(value);
  const teams = json['teams'] ?? [];
  if (!Array.isArray(teams)) throw malformed();
  return {
    place: placeFromJson(json),
    // Older walks have no `told`. They notified someone at their level, because a level without
    // anyone is skipped.
    notified: json['told'] === true || (json['phase'] === 'level' && teams.length === 0),
    teams: teams.map((team: unknown) => {
      const { teamId, revisionId, place } = members(team);
      if (typeof teamId !== 'string' || typeof revisionId !== 'string') throw malformed();
      return { teamId, revisionId, place: placeFromJson(members(place)) };
    }),
  };
}

function placeFromJson(json: Readonly<Record<string, unknown>>): Place {
  const { run, phase, nodeId } = json;
  const since = instant(json['since']);
  const nextAt = instant(json['nextAt']);
  if (
    typeof run === 'number' &&
    Number.isSafeInteger(run) &&
    run >= 1 &&
    (nodeId === undefined || typeof nodeId === 'string')
  ) {
    if (phase === 'enter')
      return {
        phase,
        run,
        ...(nodeId !== undefined && { nodeId }),
        ...(since && { since }),
        ...(nextAt && { nextAt }),
      };
    if ((phase === 'level' || phase === 'defer') && nodeId !== undefined && since && nextAt)
      return { phase, run, nodeId, since, nextAt };
    if (phase === 'repeat' && since && nextAt) return { phase, run, since, nextAt };
    if (phase === 'exhausted' && since) return { phase, run, since };
  }
  throw malformed();
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function instant(value: unknown): Date | undefined {
  if (value === undefined) return undefined;
  const at = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) throw malformed();
  return at;
}

const malformed = (): Error => new Error('the stored escalation walk is malformed');

/** Where a walk is, and how that is stored. A place is named by node, never by index, and holds for one document. */

/** The next thing to do is to enter `nodeId` (absent at the end of the nodes), at once. `since`: when it became due. */
export interface EnterPlace {
  readonly phase: 'enter';
  readonly run: number;
  readonly nodeId?: string;
  readonly since?: Date;
  readonly nextAt?: Date;
}

/** A level was notified, or hours are waited for, since `since` until `nextAt`. */
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

/** The last run ended at `since`; everybody notified stays so. */
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

/** The walk of a team's policy inside a level, by the revision that was active when the level was entered. */
export interface TeamWalk {
  readonly teamId: string;
  readonly revisionId: string;
  readonly place: Place;
}

/** `teams` walk inside the level `place` waits at; `told`: somebody was notified at that level in this run. */
export interface WalkState {
  readonly place: Place;
  readonly teams: readonly TeamWalk[];
  readonly told: boolean;
}

/** When there is something to do next; undefined when the walk is over. */
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

export function walkToJson({ place, teams, told }: WalkState): WalkJson {
  return {
    ...placeToJson(place),
    ...(told && { told }),
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

/** Reads what `walkToJson` wrote; throws on anything else, since a walk that guesses could notify the wrong people. */
export function walkFromJson(value: unknown): WalkState {
  const json = members(value);
  const teams = json['teams'] ?? [];
  if (!Array.isArray(teams)) throw malformed();
  return {
    place: placeFromJson(json),
    // A level that was entered before `told` was stored had notified somebody: else it would have been skipped.
    told: json['told'] === true || (json['phase'] === 'level' && teams.length === 0),
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

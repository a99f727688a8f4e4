/** The stored keys of notification steps. A request notifies each person at most once per key. */

/** Where a step happens: a node of the path, and inside its level a node of a team's policy. */
export interface StepPlace {
  readonly nodeId: string;
  readonly run: number;
  readonly team?: { readonly teamId: string; readonly nodeId: string; readonly run: number };
}

/** The step of a request without a path. It notifies everyone who may decide, once. */
export const PATHLESS_STEP = 'unrouted';

/** The step of added reviewers. It notifies each of them once. */
export const ADDED_STEP = 'added';

/** The step that tells owners that no one is left to decide. A request has it once. */
export const UNREACHABLE_STEP = 'unreachable';

/** The step that tells those who were asked before a claim that it ended by itself. Its key contains the claim's id. */
export const CLAIM_LAPSED_STEP = 'claim_lapsed';

export const claimLapsedStep = (claimId: string): string => `${CLAIM_LAPSED_STEP}:${claimId}`;

/** The step that tells the person who approved a call that another one ran. */
export const RAN_DIFFERENTLY_STEP = 'ran_differently';

/** The key of a level. Inside a team's policy it starts with the key of the path's level. */
export function stepKey({ nodeId, run, team }: StepPlace): string {
  return team ? `${nodeId}:${run}:${team.teamId}:${team.nodeId}:${team.run}` : `${nodeId}:${run}`;
}

/** The key of the level that the step is, or is inside of. Node ids have no colon. */
export function levelKey(key: string): string {
  return key.split(':', 2).join(':');
}

/**
 * Whether the key belongs to a step of a team's policy inside this level. With `teamId`, only that
 * team counts.
 */
export function isInside(
  key: string,
  level: Pick<StepPlace, 'nodeId' | 'run'>,
  teamId?: string,
): boolean {
  const { nodeId, run } = level;
  return key.startsWith(`${stepKey({ nodeId, run })}:${teamId === undefined ? '' : `${teamId}:`}`);
}

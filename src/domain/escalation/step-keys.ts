/** The keys of notification steps: whoever was told in a step of a request is not told again in it. They are stored. */

/** Where something happens: a node of the path, and inside its level a node of a team's policy. */
export interface StepPlace {
  readonly nodeId: string;
  readonly run: number;
  readonly team?: { readonly teamId: string; readonly nodeId: string; readonly run: number };
}

/** Of a request that no path applies to: everybody who may decide is told once. */
export const UNROUTED_STEP = 'unrouted';

/** Of those a reviewer asks for help: each of them once. */
export const ADDED_STEP = 'added';

/** Of a level of a path, or of a team's policy inside it, whose key continues that of the level. */
export function stepKey({ nodeId, run, team }: StepPlace): string {
  return team ? `${nodeId}:${run}:${team.teamId}:${team.nodeId}:${team.run}` : `${nodeId}:${run}`;
}

/** Whether the key is that of a step of a team's policy inside this level; of this team's only, where one is named. */
export function isInside(
  key: string,
  level: Pick<StepPlace, 'nodeId' | 'run'>,
  teamId?: string,
): boolean {
  const { nodeId, run } = level;
  return key.startsWith(`${stepKey({ nodeId, run })}:${teamId === undefined ? '' : `${teamId}:`}`);
}

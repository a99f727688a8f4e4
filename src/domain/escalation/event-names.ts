/** The names of a walk's steps in the timeline of a request and in the preview of a path. */
import type { StepPlace } from './step-keys.ts';
import type { WalkEvent } from './walk.ts';

export const WALK_EVENT_NAMES = [
  'level_notified',
  'level_skipped',
  'urgency_raised',
  'deferred',
  'condition_failed',
  'branch_taken',
  'path_repeated',
  'path_exhausted',
  'team_policy_repeated',
  'team_policy_exhausted',
] as const;

export type WalkEventName = (typeof WALK_EVENT_NAMES)[number];

/** A team's policy has its own names for repeating and ending, because the path continues. */
export function walkEventName<Kind extends WalkEvent['kind']>({
  kind,
  team,
}: {
  readonly kind: Kind;
  readonly team?: WalkEvent['team'];
}): Kind | 'team_policy_repeated' | 'team_policy_exhausted' {
  if (team && kind === 'path_repeated') return 'team_policy_repeated';
  if (team && kind === 'path_exhausted') return 'team_policy_exhausted';
  return kind;
}

/**
 * What the timeline and the preview say about a step, besides its name. `deadline`: that of the
 * request, if there is one.
 */
export function walkEventData(
  event: WalkEvent,
  deadline?: Date,
): Readonly<Record<string, unknown>> {
  return { ...placeData(event), ...detailsOf(event, deadline) };
}

/** Where a step happens. */
export function placeData({ nodeId, run, team }: StepPlace): Readonly<Record<string, unknown>> {
  const inside = team && { team_id: team.teamId, team_node_id: team.nodeId, team_run: team.run };
  return { node_id: nodeId, run, ...inside };
}

function detailsOf(
  event: WalkEvent,
  deadline: Date | undefined,
): Readonly<Record<string, unknown>> {
  switch (event.kind) {
    case 'level_skipped':
      return { reason: event.reason };
    case 'deferred':
      return {
        until: event.until,
        working_hours_id: event.workingHoursId,
        ...(deadline && event.until >= deadline && { ends_after_deadline: true }),
      };
    case 'condition_failed':
      return { code: event.code };
    case 'branch_taken': {
      const { branch, reason } = event;
      if (reason === 'conditions_met') return { branch, reason };
      const { index, type } = event.condition;
      return { branch, reason, condition_index: index, condition_type: type };
    }
    case 'level_notified':
    case 'urgency_raised':
    case 'path_repeated':
    case 'path_exhausted':
      return {};
  }
}

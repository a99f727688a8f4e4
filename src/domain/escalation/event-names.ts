/** What the steps of a walk are called outside: in the timeline of a request, and in the preview of a path. */
import type { WalkEvent } from './walk.ts';

export const WALK_EVENT_NAMES = [
  'level_notified',
  'level_skipped',
  'urgency_raised',
  'deferred',
  'path_repeated',
  'path_exhausted',
  'team_policy_repeated',
  'team_policy_exhausted',
] as const;

export type WalkEventName = (typeof WALK_EVENT_NAMES)[number];

/** The path goes on where the policy of a team in it comes to its end. */
export function walkEventName({ kind, team }: Pick<WalkEvent, 'kind' | 'team'>): WalkEventName {
  if (team && kind === 'path_repeated') return 'team_policy_repeated';
  if (team && kind === 'path_exhausted') return 'team_policy_exhausted';
  return kind;
}

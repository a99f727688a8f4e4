/**
 * What an operator reads in the Temporal UI about a waiting request: one line for the timer, and
 * the current details.
 */
import { nodeOf } from '../../escalation/node-order.ts';
import { allLevels, type Target } from '../../escalation/types.ts';
import { totalRuns } from '../../escalation/walk.ts';
import { dueAt, type TeamWalk, type WalkState } from '../../escalation/walk-state.ts';
import type { ApprovalRequest } from '../approval-requests.ts';
import type { PathRevision } from './view.ts';

const MAX_DETAILS = 1_500;

export interface Waiting {
  readonly request: ApprovalRequest;
  /** Absent, like `state`, for a request without a path. */
  readonly path?: PathRevision;
  readonly state?: WalkState;
}

export function describeWait({ request, path, state }: Waiting): {
  readonly summary: string;
  readonly details: string;
} {
  const deadline = `deadline ${request.deadlineAt.toISOString()}`;
  const claimed =
    request.claim &&
    `claimed by ${request.claim.displayName} until ${request.claim.expiresAt.toISOString()}`;
  if (!path || !state) {
    const asked = 'no escalation path: everyone who may decide is asked';
    return {
      summary: claimed ?? `until the ${deadline}`,
      details: ['**pending**, ' + asked, claimed, deadline].filter(Boolean).join('\n\n'),
    };
  }
  const place = placeOf(path, state);
  const next = dueAt(state);
  const lines = [
    `**pending** on path \`${path.pathKey}\`: ${place}${request.urgency === 'interrupt' ? ', urgent' : ''}`,
    claimed,
    `asked: ${askedBy(path, state).join(', ')}`,
    `${next ? `next step ${next.toISOString()}` : 'no one left to ask'}, ${deadline}`,
    state.teams.length > 0 ? `inside: ${state.teams.map(whereIs).join('; ')}` : undefined,
  ];
  return {
    summary: claimed ?? `${path.pathKey}: ${place}`,
    details: lines.filter(Boolean).join('\n\n').slice(0, MAX_DETAILS),
  };
}

function placeOf({ document }: PathRevision, { place, teams }: WalkState): string {
  const run = `run ${place.run} of ${totalRuns(document)}`;
  switch (place.phase) {
    case 'enter':
    case 'repeat':
    case 'exhausted':
      return `${place.phase}, ${run}`;
    case 'defer':
      return `deferred until ${place.nextAt.toISOString()}, ${run}`;
    case 'level': {
      const levels = allLevels(document);
      const level = levels.findIndex(({ id }) => id === place.nodeId) + 1;
      return [`level ${level} of ${levels.length}`, run, ...inside(teams)].join(', ');
    }
  }
}

function inside(teams: WalkState['teams']): readonly string[] {
  if (teams.length === 0) return [];
  const deferred = teams.filter(({ place }) => place.phase === 'defer').length;
  return [
    `${teams.length} ${teams.length === 1 ? 'team' : 'teams'} inside`,
    ...(deferred > 0 ? [`${deferred} deferred`] : []),
  ];
}

/** The place of a team in its own policy. */
function whereIs({ teamId, place }: TeamWalk): string {
  const team = `team ${teamId}`;
  const until = `until ${place.nextAt?.toISOString() ?? ''}`;
  switch (place.phase) {
    case 'exhausted':
      return `${team} has no one left to ask`;
    case 'level':
      return `${team} at its level ${place.nodeId}, run ${place.run}, ${until}`;
    case 'defer':
      return `${team} deferred ${until}, run ${place.run}`;
    case 'enter':
    case 'repeat':
      return `${team} ${place.phase} ${until}, run ${place.run}`;
  }
}

function askedBy({ document }: PathRevision, { place }: WalkState): readonly string[] {
  const node = place.phase === 'level' ? nodeOf(document, place.nodeId) : undefined;
  return node?.type === 'level' ? node.targets.map(nameOf) : [];
}

function nameOf(target: Target): string {
  return target.type === 'broadcast' ? target.type : `${target.type} ${target.id}`;
}

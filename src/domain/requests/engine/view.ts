/** What a change of a request depends on, as of one instant. `src/data/requests/engine/view.ts` reads it. */
import type { Condition } from '../../conditions/document.ts';
import type { ConditionErrorCode } from '../../conditions/types.ts';
import type { TeamMembers } from '../../escalation/recipients.ts';
import type { EscalationPathDocument, Target, TeamPolicyDocument } from '../../escalation/types.ts';
import type { DeliveryFailure } from '../../channels.ts';
import type { ApprovalRequest } from '../approval-requests.ts';
import type { Decider } from '../deciders.ts';

/** A member who may decide requests of the agent, as far as their rights go. */
export interface RequestDecider extends Decider {
  /** A walk may ask them: they have not turned every channel off. */
  readonly isReachable: boolean;
  /** They may also decide requests that were routed to others. */
  readonly decidesRoutedToOthers: boolean;
  readonly isOwner: boolean;
}

/** The people of a request's agent and path. Requests of one agent and path share the object. */
export interface People {
  /** Longest membership first. */
  readonly deciders: readonly RequestDecider[];
  /** The live teams that the path targets. */
  readonly teams: ReadonlyMap<string, TeamMembers>;
}

/** A member who was notified at a step. */
export interface NotifiedMember {
  readonly stepKey: string;
  readonly membershipId: string;
  readonly at: Date;
  /** Why no message of this step reached them. Absent while one has arrived or may still arrive. */
  readonly unreached?: readonly DeliveryFailure[];
}

/** Who may decide, and who was notified. */
export interface Routing {
  readonly people: People;
  readonly notified: readonly NotifiedMember[];
  /** The owners were told that no one is left to decide. */
  readonly isToldUnreachable: boolean;
}

/** How many requests wait for people, and how many may. */
export interface PendingCount {
  /** Of the organization, counted up to `limit`. */
  readonly waiting: number;
  readonly limit: number;
  /** Of the agent, counted up to its share. */
  readonly agentWaiting: number;
  readonly agentLimit: number;
}

export interface RequestView {
  readonly request: ApprovalRequest;
  /** Every change of the request, its claim or its reviewers gives the row another version. */
  readonly version: string;
  /** Every change of anyone's access gives the organization another one. */
  readonly accessVersion: number;
  /** The row's clock: the instant of everything that a plan does. */
  readonly now: Date;
  /** The database's clock. A plan of an old view is not committed. */
  readonly readAt: Date;
  /** Its caller got a response before the pipelines concluded. The pending cap no longer applies. */
  readonly isAdmitted: boolean;
  /** When the reconciler looks. */
  readonly wakeAt: Date | undefined;
  /** How often the reconciler has tried since the workflow's last step. */
  readonly wakeAttempts: number;
  /** Memberships of added reviewers. */
  readonly added: readonly string[];
  /** Seconds. */
  readonly claimTimeout: number;
  /** For how long an approved call may start, in seconds: the agent's setting. */
  readonly approvalWindow: number;
  /** The organization's own presentation of the tool. No plan depends on it. */
  readonly presentationId: string | undefined;
  /** The path of the request; while it is evaluated, the first active one of those asked for. */
  readonly pathRevisionId: string | undefined;
  /** Absent when the read did not ask for people. */
  readonly routing: Routing | undefined;
  /** Absent when the read did not ask for it. */
  readonly pending: PendingCount | undefined;
}

/** A path revision, as a plan needs it. */
export interface PathRevision {
  readonly id: string;
  readonly pathKey: string;
  readonly document: EscalationPathDocument;
  readonly targets: readonly Target[];
}

/** The immutable documents of a view, and what the conditions in them say about the request. */
export interface Documents {
  readonly path: PathRevision | undefined;
  readonly policy: (revisionId: string) => TeamPolicyDocument;
  readonly matches: (when: Condition) => boolean | ConditionErrorCode;
}

/** Who may decide the request, or could if it were pending: the rules of `request-access.ts`, for people who were read. */
export function decidersOfRequest(
  { added, routing }: Pick<RequestView, 'added' | 'routing'>,
  path: Pick<PathRevision, 'targets'> | undefined,
): ReadonlySet<string> {
  if (!routing) throw new Error('the view was read without people');
  const { deciders } = routing.people;
  if (!path) return new Set(deciders.map(({ membershipId }) => membershipId));
  const targeted = targetedMembers(routing.people, path.targets);
  const helping = new Set(added);
  return new Set(
    deciders.flatMap(({ membershipId, decidesRoutedToOthers }) =>
      decidesRoutedToOthers || targeted.has(membershipId) || helping.has(membershipId)
        ? [membershipId]
        : [],
    ),
  );
}

/** Those among the deciders that the path targets at any of its levels. */
export function targetedMembers(
  { deciders, teams }: People,
  targets: readonly Target[],
): ReadonlySet<string> {
  if (targets.some(({ type }) => type === 'broadcast'))
    return new Set(deciders.map(({ membershipId }) => membershipId));
  const named = new Set(
    targets.flatMap((target) => {
      if (target.type === 'broadcast') return [];
      if (target.type === 'user') return [target.id];
      return (teams.get(target.id)?.members ?? []).map(({ membershipId }) => membershipId);
    }),
  );
  return new Set(
    deciders.flatMap(({ membershipId }) => (named.has(membershipId) ? [membershipId] : [])),
  );
}

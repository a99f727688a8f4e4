/** The approval request of every layer, its states and its one decision. */
import { createHash } from 'node:crypto';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { AuthContext } from '../people/authorization.ts';
import type { CallOutcome } from '../call-outcomes.ts';
import type { EscalationPathSource, PipelineScope } from '../pipelines/types.ts';

/** The final states: what a decision can be. */
export const DECISION_STATUSES = ['approved', 'denied', 'expired', 'cancelled'] as const;
export type TerminalState = (typeof DECISION_STATUSES)[number];

/** `evaluating` until the pipeline hands the request to people. Clients see it as `pending`. */
export type RequestState = 'evaluating' | 'pending' | TerminalState;
export const REQUEST_STATUSES = ['pending', ...DECISION_STATUSES] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** How the pipeline handed a request to people. `pathRevisionId` is absent when no path applies. */
export interface Route {
  readonly routedAt: Date;
  readonly source: EscalationPathSource;
  readonly scope: PipelineScope;
  readonly blockId?: string;
  readonly reason?: string;
  readonly pathRevisionId?: string;
}

/** Characters of the note of a decision. */
export const LONGEST_NOTE = 4_000;

/** The final word on a request. It never changes. `expiresAt` is present exactly on an approval. */
export interface Decision {
  readonly id: string;
  readonly requestId: string;
  readonly organizationId: string;
  readonly membershipId?: string;
  readonly status: TerminalState;
  readonly note?: string;
  readonly channel: string;
  readonly reviewerDisplayName?: string;
  readonly reviewerEmail?: string;
  readonly authentication: AuthContext;
  readonly idempotencyKey: string;
  /** The digest of the arguments that the reviewer saw, where the client sent it. */
  readonly seenArgumentsDigest?: string;
  readonly decidedAt: Date;
  readonly expiresAt?: Date;
}

/** Of decisions by the service itself. */
export const SYSTEM_AUTHENTICATION = { method: 'system', assurance: 'strong' } as const;

/** An advisory marker until `expiresAt`: a reviewer is working on a pending request. */
export interface Claim {
  readonly id: string;
  readonly membershipId: string;
  readonly displayName: string;
  readonly claimedAt: Date;
  readonly expiresAt: Date;
  /** The claim had expired when the row was read, but no writer has recorded it yet. Readers hide such a claim. */
  readonly lapsed: boolean;
}

/** Characters of the detail of a result. */
export const LONGEST_DETAIL = 2_000;

/** What came of the call, as the instance that started it reported. It never changes. */
export interface CallResult {
  readonly outcome: CallOutcome;
  readonly detail?: string;
  /** SHA-256 of the arguments that ran, in hex. */
  readonly argumentsDigest?: string;
  readonly reportedAt: Date;
}

export interface ApprovalRequest {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly agentName: string;
  readonly agentInstanceId: string;
  readonly agentInstanceName: string;
  readonly agentCredentialId: string;
  readonly tool: string;
  readonly server?: string;
  readonly arguments: JsonText;
  readonly agentReasoning?: JsonText;
  readonly context?: JsonText;
  readonly timeout: string;
  readonly state: RequestState;
  readonly createdAt: Date;
  readonly deadlineAt: Date;
  readonly updatedAt: Date;
  readonly organizationPipelineRevisionId?: string;
  readonly agentPipelineRevisionId?: string;
  /** What blocks that asked other systems returned: `{organization, agent}`, each by block id. */
  readonly previousMetadata?: JsonText;
  readonly route?: Route;
  readonly urgency: 'standard' | 'interrupt';
  /** JSON text of the WalkState, present while routed to a path. */
  readonly walk?: string;
  readonly nextAt?: Date;
  readonly claim?: Claim;
  readonly decision?: Decision;
  /** When an adapter reported that it starts the approved call, and which instance did. */
  readonly startedAt?: Date;
  readonly startedByInstanceId?: string;
  /** The Idempotency-Key of the start. */
  readonly startKey?: string;
  readonly result?: CallResult;
}

/**
 * SHA-256 of the stored source text of the arguments, in hex. Every read has that text at hand, so
 * the digest always belongs to what is shown.
 */
export function argumentsDigest({ arguments: given }: Pick<ApprovalRequest, 'arguments'>): string {
  return createHash('sha256').update(given.text).digest('hex');
}

/** A request without the documents it holds. */
export type RequestFacts = Omit<
  ApprovalRequest,
  'arguments' | 'agentReasoning' | 'context' | 'previousMetadata' | 'walk'
>;

/** The revisions of the rules for a request, by which it is evaluated. */
export type RuleRevisions = Pick<
  ApprovalRequest,
  'organizationPipelineRevisionId' | 'agentPipelineRevisionId'
>;

/** The facts known about a `T`: an optional member may also be null or undefined. */
export type Facts<T> = {
  readonly [K in keyof T]:
    T[K] | (Partial<Pick<T, K>> extends Pick<T, K> ? null | undefined : never);
};

/** The facts as a `T`: an absent value is an absent key. */
export function withoutNulls<T>(facts: Facts<T>): T {
  const known = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(known) as T;
}

/**
 * Builds every request: as read, as created, and as a writer leaves it. A claim needs a pending
 * request. A decision ends the claim and the walk.
 */
export function buildRequest(facts: Facts<ApprovalRequest>): ApprovalRequest {
  return withoutNulls<ApprovalRequest>({
    ...facts,
    nextAt: isTerminal(facts.state) ? null : facts.nextAt,
    claim: facts.state === 'pending' ? facts.claim : null,
  });
}

/** AAP 1.0.0: an approved call must start within five minutes of the decision. */
export const PROTOCOL_WINDOW_MS = 5 * 60_000;

/** Milliseconds until the reconciler looks after a new or changed request: a head start for its workflow. */
export const WAKE_HEAD_START_MS = 3_000;

export function isTerminal(state: RequestState): state is TerminalState {
  return (DECISION_STATUSES as readonly string[]).includes(state);
}

export function publicStatus(state: RequestState): RequestStatus {
  return state === 'evaluating' ? 'pending' : state;
}

/** As stored. Without a separate instant, the authentication took place at the decision. */
export type StoredAuthContext = Omit<AuthContext, 'authenticated_at'> & {
  readonly authenticated_at?: Date | string;
};

/** Sorted by member, so that every response has the same text. */
export function toAuthContext(stored: StoredAuthContext, decidedAt: Date): AuthContext {
  const { method, assurance, authenticated_at: at, session_id, credential_id } = stored;
  return {
    method,
    assurance,
    authenticated_at: at === undefined ? decidedAt : new Date(at),
    ...(session_id !== undefined && { session_id }),
    ...(credential_id !== undefined && { credential_id }),
  };
}

/** A person decides. Exactly one decision is ever recorded, also under concurrent calls. */
import { MEMBER_CHANNEL_KINDS } from '../../domain/channels.ts';
import { findDecisionByKey } from '../../data/requests/decisions.ts';
import type { Presentation } from '../../domain/agents/tool-presentations.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import type { ApprovalRequest, Decision } from '../../domain/requests/approval-requests.ts';
import { planDecision, type DecideAct } from '../../domain/requests/engine/decide.ts';
import { alreadyTerminal } from '../../domain/requests/refusals.ts';
import { violatedConstraint, type Db } from '../../platform/postgres.ts';
import { presentationWith } from '../agents/tool-presentations.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from '../engine/announce.ts';
import { changeRequest } from '../engine/change.ts';
import type { Changed } from '../engine/drive.ts';

export interface DecideInput {
  readonly requestId: string;
  readonly status: 'approved' | 'denied';
  readonly note?: string | undefined;
  readonly channel?: string | undefined;
  /** The digest of the arguments that the person saw. */
  readonly seenArgumentsDigest?: string | undefined;
  readonly idempotencyKey: string;
}

export interface DecideOutcome {
  readonly decision: Decision;
  readonly request: ApprovalRequest;
  readonly presentation: Presentation | undefined;
}

/** Where people decide through the service itself. Callers who name another than theirs claim what did not happen. */
const CHANNELS_OF_THE_SERVICE: readonly string[] = ['web', ...MEMBER_CHANNEL_KINDS];

/** What a decision's channel is when the caller names none. */
const CHANNEL_OF = { session: 'web', slack: 'slack', api_key: 'api' } as const satisfies Record<
  MemberPrincipal['via']['kind'],
  string
>;

/**
 * Throws 400 for a channel of the service that is not the caller's. Throws `permission_denied`, `request_not_routed`, `mfa_required`, `request_changed`, `request_evaluating`,
 * `already_terminal` (details.status) and `idempotency_conflict`. The same key with the same input returns the original
 * outcome. Another digest than the request's is refused in every state, so that the same call always gets that response.
 */
export async function decideRequest(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: DecideInput,
): Promise<DecideOutcome> {
  const wanted = { ...input, channel: channelOf(principal, input.channel) };
  const { effects, outcome, view } = await decide(context, principal, wanted);
  const request = outcome instanceof AppError ? effects?.request : outcome;
  if (effects && request) announceDecided(context, request, 'decision');
  if (outcome instanceof AppError) throw outcome;
  if (!outcome.decision) throw alreadyTerminal(outcome.state);
  const presentation = await presentationWith(context, outcome, view.presentationId ?? null);
  return { decision: outcome.decision, request: outcome, presentation };
}

function channelOf({ via }: MemberPrincipal, named: string | undefined): string {
  const own = CHANNEL_OF[via.kind];
  if (named === undefined || named === own || !CHANNELS_OF_THE_SERVICE.includes(named))
    return named ?? own;
  const others = CHANNELS_OF_THE_SERVICE.filter((channel) => channel !== own).join(', ');
  const message = `must not be one of ${others}: these are other channels of the service. Leave it out for ${own}, or name a channel of yours`;
  throw invalid([{ pointer: '/channel', code: 'invalid_value', message }]);
}

interface Wanted extends DecideInput {
  readonly channel: string;
}

async function decide(
  context: ServiceContext,
  caller: MemberPrincipal,
  { requestId: id, ...wanted }: Wanted,
): Promise<Changed<ApprovalRequest>> {
  const changed = changeRequest(context, {
    id,
    caller,
    need: { texts: true },
    read: async ({ request }, { db }) =>
      request.state === 'pending'
        ? 'none'
        : await replayOf(db, caller, { requestId: id, ...wanted }),
    plan: ({ view, path, caller: principal, read: replay = 'none', decisionId }) =>
      planDecision(view, { ...wanted, principal, path, replay, decisionId }),
  });
  // The request had no decision, so the key belongs to another request.
  return await changed.catch((error: unknown) => {
    const isKnown = violatedConstraint(error) === 'decisions_idempotency_key';
    throw isKnown ? new AppError('idempotency_conflict') : error;
  });
}

/** Whether this very call has decided a request before. `conflict`: another call used its key. */
async function replayOf(
  db: Db,
  { organizationId }: MemberPrincipal,
  wanted: Wanted,
): Promise<DecideAct['replay']> {
  const original = await findDecisionByKey(db, organizationId, wanted.idempotencyKey);
  if (!original) return 'none';
  const isSame =
    original.requestId === wanted.requestId &&
    original.status === wanted.status &&
    original.note === (wanted.note ?? null) &&
    original.channel === wanted.channel;
  return isSame ? 'same' : 'conflict';
}

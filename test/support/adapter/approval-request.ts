import type { JsonNode } from './json-source.ts';
import { demand } from './rules.ts';
import { checkShape } from './shape.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';

export interface ApprovalDecision {
  readonly status: string;
  readonly note?: string;
  readonly decided_at: string;
  readonly expires_at?: string;
}

/**
 * The request object of the protocol, with the caller's own parts as the tokens that the service
 * sent.
 */
export interface ApprovalRequest {
  readonly id: string;
  readonly tool: string;
  readonly server?: string;
  readonly timeout: string;
  readonly status: ApprovalStatus;
  readonly created_at: string;
  readonly deadline_at: string;
  readonly argumentsText: string;
  readonly contextText?: string;
  readonly agentReasoningText?: string;
  readonly decision?: ApprovalDecision;
}

type Fields = Omit<ApprovalRequest, 'argumentsText' | 'contextText' | 'agentReasoningText'>;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const EXECUTION_WINDOW_MS = 5 * 60_000;

/** Checks everything in one response about a request, without memory of other responses. */
export function checkRequestObject(node: JsonNode & { readonly kind: 'object' }): ApprovalRequest {
  const {
    arguments: _arguments,
    context: _context,
    agent_reasoning: _reasoning,
    ...fields
  } = checkShape<Fields & Readonly<Record<'arguments' | 'context' | 'agent_reasoning', unknown>>>(
    'AapApprovalRequest',
    node,
  );
  const { status, timeout, created_at, deadline_at, decision } = fields;
  const [created, deadline] = [instant(created_at), instant(deadline_at)];
  const window = Number(timeout.slice(0, -1)) * (UNIT_MS[timeout.slice(-1)] ?? NaN);
  demand(
    deadline - created === window,
    'deadline-at',
    `${created_at} + ${timeout} is not ${deadline_at}`,
  );
  demand((decision === undefined) === (status === 'pending'), 'decision-presence', node.source);
  if (decision) checkDecision(decision, { status, created, deadline });
  const [context, reasoning] = ['context', 'agent_reasoning'].map((key) => node.members.get(key));
  return {
    ...fields,
    argumentsText: node.members.get('arguments')?.source ?? '',
    ...(context && { contextText: context.source }),
    ...(reasoning && { agentReasoningText: reasoning.source }),
  };
}

function checkDecision(
  decision: ApprovalDecision,
  { status, created, deadline }: { status: string; created: number; deadline: number },
): void {
  const found = `${status} with ${JSON.stringify(decision)}`;
  const { expires_at } = decision;
  demand(decision.status === status, 'decision-status', found);
  demand((expires_at !== undefined) === (status === 'approved'), 'expires-at-presence', found);
  const decided = instant(decision.decided_at);
  if (expires_at !== undefined)
    demand(instant(expires_at) - decided === EXECUTION_WINDOW_MS, 'expires-at-window', found);
  demand(decided >= created, 'decided-before-created', found);
  if (status === 'expired') demand(decided >= deadline, 'expired-early', found);
  else demand(decided < deadline, 'decided-after-deadline', found);
}

function instant(text: string): number {
  const ms = Date.parse(text);
  demand(new Date(ms).toISOString() === text, 'time-format', text);
  return ms;
}

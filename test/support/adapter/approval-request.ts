import { isUuid } from './envelope.ts';
import type { JsonNode } from './json-source.ts';
import { demand } from './rules.ts';

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

type Members = ReadonlyMap<string, JsonNode>;

const FIELDS: Readonly<
  Record<string, { readonly kind: JsonNode['kind']; readonly required: boolean }>
> = {
  id: { kind: 'string', required: true },
  tool: { kind: 'string', required: true },
  server: { kind: 'string', required: false },
  arguments: { kind: 'object', required: true },
  timeout: { kind: 'string', required: true },
  agent_reasoning: { kind: 'string', required: false },
  context: { kind: 'object', required: false },
  status: { kind: 'string', required: true },
  created_at: { kind: 'string', required: true },
  deadline_at: { kind: 'string', required: true },
  decision: { kind: 'object', required: false },
};
const STATUSES: readonly string[] = ['pending', 'approved', 'denied', 'expired', 'cancelled'];
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const EXECUTION_WINDOW_MS = 5 * 60_000;

/** Checks everything in one answer about a request, without memory of other answers. */
export function checkRequestObject(node: JsonNode & { readonly kind: 'object' }): ApprovalRequest {
  checkFields(node.members, node.source);
  const text = (key: string): string => stringOf(node.members, key) ?? '';
  const status = text('status');
  demand(isUuid(text('id')), 'id-uuid', text('id'));
  demand(STATUSES.includes(status), 'status-word', status);
  const created = instant(text('created_at'));
  const deadline = instant(text('deadline_at'));
  const [, count = '', unit = ''] = /^([1-9][0-9]*)(s|m|h)$/.exec(text('timeout')) ?? [];
  const window = Number(count) * (UNIT_MS[unit] ?? NaN);
  demand(
    deadline - created === window,
    'deadline-at',
    `${text('created_at')} + ${text('timeout')} is not ${text('deadline_at')}`,
  );
  const decisionNode = node.members.get('decision');
  demand((decisionNode === undefined) === (status === 'pending'), 'decision-presence', node.source);
  const decision =
    decisionNode?.kind === 'object'
      ? checkDecision(decisionNode, { status, created, deadline })
      : undefined;
  const server = stringOf(node.members, 'server');
  const context = node.members.get('context');
  const reasoning = node.members.get('agent_reasoning');
  return {
    id: text('id'),
    tool: text('tool'),
    ...(server !== undefined && { server }),
    timeout: text('timeout'),
    status: status as ApprovalStatus,
    created_at: text('created_at'),
    deadline_at: text('deadline_at'),
    argumentsText: node.members.get('arguments')?.source ?? '',
    ...(context && { contextText: context.source }),
    ...(reasoning && { agentReasoningText: reasoning.source }),
    ...(decision && { decision }),
  };
}

function checkFields(members: Members, source: string): void {
  for (const [key, member] of members) {
    const field = FIELDS[key];
    demand(field !== undefined, 'unknown-key', key);
    demand(member.kind !== 'null', 'null-value', key);
    demand(member.kind === field.kind, 'field-type', `${key} is ${member.kind}`);
  }
  for (const [key, field] of Object.entries(FIELDS)) {
    if (field.required) demand(members.has(key), 'missing-key', `no ${key} in ${source}`);
  }
}

interface Frame {
  readonly status: string;
  readonly created: number;
  readonly deadline: number;
}

function checkDecision(
  node: JsonNode & { readonly kind: 'object' },
  { status, created, deadline }: Frame,
): ApprovalDecision {
  for (const [key, member] of node.members) {
    demand(
      ['status', 'note', 'decided_at', 'expires_at'].includes(key),
      'decision-keys',
      node.source,
    );
    demand(member.kind !== 'null', 'null-value', `decision.${key}`);
    demand(member.kind === 'string', 'field-type', `decision.${key} is ${member.kind}`);
  }
  const decidedAt = stringOf(node.members, 'decided_at');
  const expiresAt = stringOf(node.members, 'expires_at');
  const note = stringOf(node.members, 'note');
  demand(decidedAt !== undefined && node.members.has('status'), 'decision-keys', node.source);
  demand(
    stringOf(node.members, 'status') === status,
    'decision-status',
    `${status} with ${node.source}`,
  );
  demand(
    (expiresAt !== undefined) === (status === 'approved'),
    'expires-at-presence',
    `${status} with ${node.source}`,
  );
  const decided = instant(decidedAt);
  if (expiresAt !== undefined)
    demand(instant(expiresAt) - decided === EXECUTION_WINDOW_MS, 'expires-at-window', node.source);
  demand(decided >= created, 'decided-before-created', node.source);
  if (status === 'expired') demand(decided >= deadline, 'expired-early', node.source);
  else demand(decided < deadline, 'decided-after-deadline', node.source);
  return {
    status,
    decided_at: decidedAt,
    ...(note !== undefined && { note }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}

function stringOf(members: Members, key: string): string | undefined {
  const member = members.get(key);
  return member?.kind === 'string' ? member.value : undefined;
}

function instant(text: string): number {
  const ms = TIME.test(text) ? Date.parse(text) : NaN;
  demand(Number.isFinite(ms) && new Date(ms).toISOString() === text, 'time-format', text);
  return ms;
}

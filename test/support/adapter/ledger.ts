import type { ApprovalRequest } from './approval-request.ts';
import type { Reply } from './exchange.ts';
import { sameJson, type JsonNode } from './json-source.ts';
import { demand, type AdapterRule } from './rules.ts';

interface KeyRecord {
  /** Attempts sent so far, including lost ones. */
  attempts: number;
  id?: string;
  /** The accepted input, and when its acceptance was known. */
  input?: JsonNode;
  acceptedAt?: number;
}

interface RequestRecord {
  readonly first: ApprovalRequest;
  readonly seenAt: number;
  created: boolean;
  terminal?: { readonly text: string; readonly status: string; readonly seenAt: number };
}

const STABLE: readonly (keyof ApprovalRequest)[] = [
  'tool',
  'server',
  'timeout',
  'created_at',
  'deadline_at',
  'argumentsText',
  'contextText',
  'agentReasoningText',
];

/**
 * Every response that one agent instance has received. Adapters of the same instance may share a
 * ledger.
 */
export class Ledger {
  readonly #keys = new Map<string, KeyRecord>();
  readonly #requests = new Map<string, RequestRecord>();

  /** Call it before a create is sent, so that an attempt with a lost response counts too. */
  attempt(key: string): void {
    const record = this.#keys.get(key);
    if (record) record.attempts += 1;
    else this.#keys.set(key, { attempts: 1 });
  }

  /** Compares a response about a request with all earlier ones. */
  observe(request: ApprovalRequest, text: string, reply: Reply): void {
    const record = this.#requests.get(request.id) ?? {
      first: request,
      seenAt: reply.receivedAt,
      created: false,
    };
    this.#requests.set(request.id, record);
    for (const field of STABLE) {
      const [before, now] = [record.first[field], request[field]];
      demand(
        before === now,
        'field-changed',
        `${field} of ${request.id}: ${String(before)}, then ${String(now)}`,
      );
    }
    const { terminal } = record;
    if (request.status === 'pending') {
      const returned = terminal && reply.sentAt > terminal.seenAt;
      demand(!returned, 'terminal-changed', `pending after ${terminal?.text ?? ''}`);
    } else if (terminal) {
      demand(text === terminal.text, 'terminal-changed', `${terminal.text} became ${text}`);
    } else {
      record.terminal = { text, status: request.status, seenAt: reply.receivedAt };
    }
  }

  /** A create returned a request. Call it after `observe`. */
  accepted(
    key: string,
    input: JsonNode,
    { request, reply }: { request: ApprovalRequest; reply: Reply },
  ): void {
    const record = this.#keys.get(key) ?? { attempts: 1 };
    demand(
      record.id === undefined || record.id === request.id,
      'replay-id',
      `${record.id ?? ''}, then ${request.id}`,
    );
    const seen = this.#requests.get(request.id);
    if (reply.status === 201) {
      demand(seen?.created !== true, 'replay-status', `201 twice for ${request.id}`);
      if (seen) seen.created = true;
    } else {
      demand(record.attempts > 1, 'replay-status', `200 for the first use of key ${key}`);
    }
    record.id = request.id;
    record.input ??= input;
    record.acceptedAt ??= reply.receivedAt;
  }

  /** A create returned 409. */
  conflicted(key: string, input: JsonNode | undefined, reply: Reply): void {
    const record = this.#keys.get(key);
    if (
      !record?.input ||
      record.acceptedAt === undefined ||
      !input ||
      reply.sentAt < record.acceptedAt
    )
      return;
    demand(!sameJson(record.input, input), 'conflict-same-input', `key ${key}`);
  }

  /** A read or a cancel of this id returned an error. */
  refused(id: string, status: number, reply: Reply): void {
    const record = this.#requests.get(id);
    if (!record || record.seenAt > reply.sentAt) return;
    demand(status !== 404, 'request-lost', id);
    const terminal =
      record.terminal && record.terminal.seenAt < reply.sentAt ? record.terminal : undefined;
    demand(
      status !== 409 || terminal?.status !== 'cancelled',
      'cancel-outcome',
      `409 for a cancelled request ${id}`,
    );
  }
}

const ECHOES: readonly {
  readonly key: string;
  readonly rule: AdapterRule;
  readonly exact: boolean;
}[] = [
  { key: 'tool', rule: 'echo-tool', exact: false },
  { key: 'server', rule: 'echo-server', exact: false },
  { key: 'timeout', rule: 'echo-timeout', exact: false },
  { key: 'arguments', rule: 'echo-arguments', exact: true },
  { key: 'context', rule: 'echo-context', exact: true },
  { key: 'agent_reasoning', rule: 'echo-agent-reasoning', exact: true },
];

/**
 * Compares a response with the submission: always as exact values, and token for token if this
 * submission made the request. A replay may have another spelling.
 */
export function checkEcho(sent: JsonNode, received: JsonNode, made: boolean): void {
  if (sent.kind !== 'object' || received.kind !== 'object') return;
  for (const { key, rule, exact } of ECHOES) {
    const [before, after] = [sent.members.get(key), received.members.get(key)];
    const found = `sent ${before?.source ?? 'nothing'}, received ${after?.source ?? 'nothing'}`;
    demand((before === undefined) === (after === undefined), rule, found);
    if (!before || !after) continue;
    demand(exact && made ? before.source === after.source : sameJson(before, after), rule, found);
  }
}

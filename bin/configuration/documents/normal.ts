/** What documents may contain, and one form for all that mean the same. */
import { z } from 'zod';
import { presentationEntrySchema } from '../../../src/domain/agents/tool-presentations.ts';
import {
  parseEscalationPathDocument,
  parseTeamPolicyDocument,
} from '../../../src/domain/escalation/parse.ts';
import { object } from '../../../src/domain/grammar.ts';
import { readBy } from '../../../src/domain/issues.ts';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import {
  isExactObject,
  isNumber,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';
import { withoutDefaults } from './defaults.ts';
import type { Kind } from './kinds.ts';
import type { DocumentIssue } from './people.ts';

const settings = object({
  claim_timeout: z.string().optional(),
  personal_api_keys_allowed: z.boolean().optional(),
  max_api_key_lifetime: z.string().nullable().optional(),
  require_mfa: z.boolean().optional(),
  reauthentication_window: z.string().optional(),
  agent_pending_share: z
    .custom<ExactValue>((value) => isNumber(value as ExactValue), { error: 'must be a number' })
    .optional(),
  hidden_names: object({
    defaults: z.boolean().optional(),
    add: z.array(z.string()).optional(),
  }).optional(),
});

const agent = object({
  name: z.string(),
  status: z.enum(['active', 'disabled']).optional(),
  resume: z.enum(['instance', 'agent']).default('instance'),
  approval_window: z.string().default('5m'),
});

const endpoint = object({ name: z.string(), url: z.string() });

export type Normal =
  | { readonly ok: true; readonly value: ExactObject }
  | { readonly ok: false; readonly issues: readonly DocumentIssue[] };

/**
 * A body of the API without what goes without saying, so that two bodies that mean the same are equal. Names every
 * unknown member, and all else that the service would refuse without looking at its data.
 */
export function normal(kind: Kind, body: ExactObject): Normal {
  const read = reading(kind, body);
  if (!read.ok) return read;
  const value = withoutDefaults(kind, read.value as unknown as ExactObject);
  return { ok: true, value };
}

function reading(kind: Kind, body: ExactObject) {
  switch (kind) {
    case 'settings':
      return readBy(settings, body);
    case 'agents':
      return readBy(agent, body);
    case 'webhook-endpoints':
      return readBy(endpoint, body);
    case 'presentations':
      return readBy(presentationEntrySchema, body);
    case 'team-policies':
      return parsed(parseTeamPolicyDocument(body));
    case 'escalation-paths':
      return parsed(parseEscalationPathDocument(body));
    case 'pipelines':
      // The hosted edition reads what the open one does, and more. The service says what its edition refuses.
      return parsed(parsePipelineDocument(body, 'hosted'));
  }
}

type Parsing =
  | { readonly ok: true; readonly document: unknown }
  | { readonly ok: false; readonly issues: readonly DocumentIssue[] };

const parsed = (result: Parsing) =>
  result.ok ? { ok: true as const, value: result.document } : result;

/** Settings and the status of agents that a file leaves out stay as they are. */
export function partOf(kind: Kind, current: ExactObject, wanted: ExactObject): ExactObject {
  if (kind === 'agents') {
    const { status, ...rest } = current;
    return 'status' in wanted && status !== undefined ? { ...rest, status } : rest;
  }
  if (kind !== 'settings') return current;
  const part: ExactObject = {};
  for (const [name, value] of Object.entries(wanted)) {
    const member = current[name];
    if (member === undefined) continue;
    part[name] =
      isExactObject(value) && isExactObject(member) ? partOf('settings', member, value) : member;
  }
  return part;
}

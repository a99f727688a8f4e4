/** The query parameters that choose audit events. */
import { z } from 'zod';
import {
  AUDIT_ACTOR_TYPES,
  AUDIT_OUTCOMES,
  AUDIT_QUERY_LENGTH,
  COLUMN_SEPARATOR,
  type AuditFilter,
} from '../../src/domain/audit/filters.ts';
import { invalid } from '../../src/domain/errors.ts';
import { timestampInput } from '../http/schema.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Ids are recorded in small letters, where they are UUIDs. */
const idQuery = (description: string) =>
  z
    .string()
    .min(1)
    .max(200)
    .transform((id) => (UUID.test(id) ? id.toLowerCase() : id))
    .optional()
    .meta({ description });

const words = (pattern: RegExp, example: string) =>
  z
    .string()
    .max(100)
    .regex(pattern, { error: `must be words such as ${example}` });

/** For the `repeatable` of an endpoint with these parameters. */
export const REPEATABLE_AUDIT_FILTERS = ['event_type'];

export const auditFilterFields = {
  q: z
    .string()
    .min(AUDIT_QUERY_LENGTH.min)
    .max(AUDIT_QUERY_LENGTH.max)
    // It separates the columns in the index of events.
    .refine((text) => !text.includes(COLUMN_SEPARATOR), { error: 'must not contain U+0001' })
    .optional()
    .meta({
      description:
        'Only events of which the type, the name or id of the actor, the id of the subject, the id or the data contains this text, as people read it, without the escapes of JSON. Case makes no difference.',
    }),
  event_type: z
    .array(words(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/, '`team.renamed`'))
    .max(100)
    .optional()
    .meta({ description: 'Only events of this type. Give it several times for several types.' }),
  actor_type: z.enum(AUDIT_ACTOR_TYPES).optional().meta({
    description:
      'Only what actors of this type did. `api_key`: a member with a personal key, or an organization key.',
  }),
  actor_id: idQuery(
    'Only what this actor did: the id of a membership, of its user, or of an organization key, or the slug of an agent. A membership and its user find the same events.',
  ),
  subject_type: words(/^[a-z0-9_]+$/, '`team`')
    .optional()
    .meta({ description: 'Only events about subjects of this type.' }),
  subject_id: idQuery(
    'Only events about this subject; of an agent, its slug. It needs `subject_type`.',
  ),
  outcome: z.enum(AUDIT_OUTCOMES).optional().meta({
    description:
      'Only events with this outcome of a request. `human`: it was sent to people. `blocked`: a gateway refused the call.',
  }),
  from_at: timestampInput('Only events at this instant or later.').optional(),
  to_at: timestampInput('Only events before this instant.').optional(),
};

type AuditFilterQuery = z.output<z.ZodObject<typeof auditFilterFields>>;

/** Throws 400 for a subject without its type. */
export function auditFilterOf(query: AuditFilterQuery): AuditFilter {
  if (query.subject_id !== undefined && query.subject_type === undefined)
    throw invalid([
      {
        pointer: '/query/subject_id',
        code: 'invalid_value',
        message: 'must come with subject_type',
      },
    ]);
  return {
    q: query.q,
    eventTypes: query.event_type,
    actorType: query.actor_type,
    actorId: query.actor_id,
    subjectType: query.subject_type,
    subjectId: query.subject_id,
    outcome: query.outcome,
    fromAt: query.from_at,
    toAt: query.to_at,
  };
}

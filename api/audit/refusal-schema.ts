/** Why the audit log of an organization is not signed. */
import { z } from 'zod';
import type { ChainState } from '../../src/services/audit/chain-state.ts';
import { timestamp } from '../http/schema.ts';

export const refusalSchema = z
  .strictObject({
    since: timestamp('Since when it is not signed.'),
    cause: z.enum(['log_changed', 'not_kept']).meta({
      description:
        '`log_changed`: the log does not extend what was signed last. Someone changed the database directly, or an older backup was restored. `not_kept`: the service cannot read or write the file that keeps what it signed last. The log may be whole.',
    }),
    reason: z.string().meta({
      description: 'The difference to the last signed checkpoint, or the problem with the file.',
    }),
  })
  .meta({
    id: 'AuditRefusal',
    description: 'Why the service does not sign the audit log. Absent when it signs.',
  });

export const refusalOf = (refusal: ChainState['refusal']) =>
  refusal && { since: refusal.since, cause: refusal.cause, reason: refusal.reason };

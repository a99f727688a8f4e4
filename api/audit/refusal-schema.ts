/** Why the audit log of an organization is not signed. */
import { z } from 'zod';
import { timestamp } from '../http/schema.ts';

export const refusalSchema = z
  .strictObject({
    since: timestamp('When it was first refused.'),
    reason: z
      .string()
      .meta({
        description: 'The part of the log that does not extend the last signed checkpoint.',
      }),
  })
  .meta({
    id: 'AuditRefusal',
    description:
      'The service refuses to sign the audit log, because it does not extend what was signed last. Absent when it signs.',
  });

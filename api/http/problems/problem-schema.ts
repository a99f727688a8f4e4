/** The schemas of the error envelopes, for the API's description. `problem.ts` writes them. */
import { z } from 'zod';
import { errorCatalogue } from '../../../src/domain/error-catalogue.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { issueCodes, type IssueCode } from '../../../src/domain/issue-codes.ts';
import { permissions } from '../../../src/domain/people/permissions.ts';
import type { Dialect } from './dialects.ts';

const issue = z
  .strictObject({
    pointer: z.string().meta({
      description:
        'JSON pointer into the body, empty for the whole of it; parameters and headers as `/query/…`, `/path/…`, `/headers/…`.',
    }),
    code: z.enum(Object.keys(issueCodes) as [IssueCode, ...IssueCode[]]).meta({
      id: 'IssueCode',
      description: [
        'What is wrong, for programs: match on this. New codes may come.\n',
        ...Object.entries(issueCodes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
      ].join('\n'),
    }),
    message: z.string().meta({ description: 'What is wrong, for people.' }),
  })
  .meta({ id: 'Issue', description: 'One thing that is wrong with the input.' });

const validationDetails = z
  .object({
    issues: z
      .array(issue)
      .meta({ description: 'Everything that is wrong, in the order of the input.' }),
  })
  .meta({ id: 'ValidationDetails', description: 'Details of a 400 that is about the input.' });

const forbiddenDetails = z
  .strictObject({
    permission: z
      .string()
      .meta({ description: 'The permission that is missing.', examples: [permissions[0]?.key] }),
    scope_kind: z
      .enum(['organization', 'team', 'agent'])
      .meta({ description: 'What it is needed for.' }),
    scope_id: z
      .string()
      .optional()
      .meta({ description: 'The team id or agent slug; absent for the organization.' }),
    reason: z
      .enum(['missing_permission', 'outside_scope', 'key_narrowed', 'credential_kind'])
      .meta({
        description:
          '`missing_permission`: not granted anywhere; `outside_scope`: granted, but not here; `key_narrowed`: this key leaves it out; ' +
          '`credential_kind`: this kind of credential can never hold it.',
      }),
  })
  .meta({
    id: 'ForbiddenDetails',
    description: 'Details of `permission_denied` where a permission was missing.',
  });

const quotaDetails = z
  .strictObject({
    dimension: z.string().meta({ description: 'What is limited.', examples: ['active_agents'] }),
    limit: z.int().meta({ description: 'How many there may be.' }),
    used: z.int().meta({ description: 'How many there are.' }),
    agent_slug: z.string().optional().meta({
      description:
        'The agent that asked. `dimension` is `pending_requests` for the cap of the organization, and `agent_pending_requests` for the share of the agent.',
    }),
  })
  .meta({ id: 'QuotaDetails', description: 'Details of `quota_exceeded`.' });

const otherDetails = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Details of other codes, as documented with them.' });

const type = z
  .enum([
    'invalid_request',
    'authentication',
    'authorization',
    'not_found',
    'conflict',
    'rate_limit',
    'dependency',
    'internal',
  ])
  .meta({ description: 'Coarse, stable category.' });

const code = z.enum(Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]).meta({
  id: 'ErrorCode',
  description: 'Specific, stable reason: match on this. New codes may come.',
});

const message = z.string().meta({ description: 'For a person. Its wording may change.' });

export const errorSchema = z
  .strictObject({
    error: z
      .strictObject({
        type,
        code,
        message,
        request_id: z
          .string()
          .meta({ description: 'The same value as the `X-Request-ID` header.' }),
        details: z
          .union([validationDetails, forbiddenDetails, quotaDetails, otherDetails])
          .optional()
          .meta({ description: 'More, for programs; only with codes that say so.' }),
      })
      .meta({ description: 'What went wrong.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });

const aapErrorSchema = z
  .strictObject({
    error: z
      .strictObject({
        type,
        code,
        message,
        param: z
          .string()
          .min(1)
          .optional()
          .meta({ description: 'The field, query parameter or header that is wrong.' }),
        request_id: z.uuid().meta({ description: 'The same value as the `X-Request-ID` header.' }),
      })
      .meta({ description: 'What went wrong.' }),
  })
  .meta({ id: 'AapError', description: 'The body of every error response of AAP 1.0.0.' });

const oauthErrorSchema = z
  .strictObject({
    error: z.string().meta({ description: 'A code of RFC 6749 or of one of its extensions.' }),
    error_description: z.string().meta({ description: 'For a person. Its wording may change.' }),
  })
  .meta({ id: 'OAuthError', description: 'The body of every error response of OAuth.' });

export const errorSchemas: Readonly<Record<Dialect, z.ZodType>> = {
  product: errorSchema,
  aap: aapErrorSchema,
  oauth: oauthErrorSchema,
};

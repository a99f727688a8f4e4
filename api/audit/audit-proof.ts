/** What proves the audit log to others: its export, its checkpoints, and the keys that verify them. */
import { z } from 'zod';
import { actorOf } from '../../src/domain/audit/events.ts';
import { printedCheckpoint } from '../../src/domain/audit/export.ts';
import { MOST_UNSEALED } from '../../src/domain/audit/filters.ts';
import { invalid } from '../../src/domain/errors.ts';
import {
  listAuditCheckpoints,
  newestAuditCheckpoint,
} from '../../src/services/audit/checkpoints.ts';
import { readChainState } from '../../src/services/audit/chain-state.ts';
import { EXPORT_FORMATS, exportAuditLog } from '../../src/services/audit/export.ts';
import { listAuditKeys } from '../../src/services/audit/keys.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  cursorQuery,
  limitQuery,
  nextCursor,
  nullableTimestamp,
  timestamp,
  uuid,
} from '../http/schema.ts';
import { refusalOf, refusalSchema } from './refusal-schema.ts';
import { auditFilterFields, auditFilterOf, REPEATABLE_AUDIT_FILTERS } from './audit-filters.ts';

const TAG = 'Audit log';

const organizationId = '0198f3a2-1111-7a10-8c44-2b3c4d5e6f70';
const eventExample = `{"sequence":7,"id":"0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70","organization_id":"${organizationId}","event_type":"team.renamed","actor_type":"system","subject_type":"team","subject_id":"0198f3a2-2222-7a10-8c44-2b3c4d5e6f70","data":{},"occurred_at":"2026-03-06T16:30:00.000Z"}`;

const hash = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: `${description} 64 hexadecimal digits.` });

const keyId = () =>
  z.string().meta({
    description: 'The first 16 hexadecimal digits of the SHA-256 of the public key.',
  });

const checkpointSchema = z
  .strictObject({
    organization_id: uuid('The organization whose chain it is.'),
    number: z.int().min(1).optional().meta({
      description:
        'Counts the checkpoints of the chain from 1, without gaps. Absent in version 1, which earlier releases signed.',
    }),
    position: z.int().min(1).meta({ description: 'The position of the entry that was the last.' }),
    hash: hash('The hash of that entry.'),
    previous: hash(
      'The SHA-256 of what the signature of the checkpoint before covers, zeros for the first. Absent in version 1.',
    ).optional(),
    at: timestamp('When it was signed.'),
    key_id: keyId(),
    signature: z.string().meta({
      description:
        'An Ed25519 signature in 128 hexadecimal digits. It covers these bytes:\n' +
        '- `countersign-audit-checkpoint-v2` and a zero byte\n' +
        '- the ID of the organization (16 bytes)\n' +
        '- the number (8, big-endian) and the position (8)\n' +
        '- the hash (32), the time in milliseconds since 1970 (8) and `previous` (32)\n\n' +
        'Version 1 has no number: `countersign-audit-checkpoint-v1`, a zero byte, organization, position, hash and time.',
    }),
  })
  .meta({ id: 'AuditCheckpoint', description: 'A signed statement of where a chain ended.' });

const checkpointExample = {
  organization_id: organizationId,
  number: 37,
  position: 1_204,
  hash: 'c3ccc33ba1ea09f7716fb90a02e09b103cab06308245b4a9faf7236e3ae4a5be',
  previous: '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9',
  at: '2026-03-06T16:30:00.000Z',
  key_id: '56475aa75463474c',
  signature: '0a'.repeat(64),
};

const exportEndpoint = defineEndpoint({
  operationId: 'exportAuditLog',
  method: 'get',
  path: '/api/v1/audit/export',
  tag: TAG,
  summary: 'Export the audit log',
  description:
    'As a stream, the earliest event first. With `proof=true` it has every entry of the chain, its checkpoints and the public keys, and `countersign verify-audit` verifies it without this service. Entries that a filter leaves out then have their leaf alone. ' +
    'Events of the last second may not be sealed yet: they are in exports without proof only. A CSV has a further column, `sentence`: what the event says in English, with names in quotes. It may be worded better in later versions. In CSV, an apostrophe comes before what a spreadsheet would run as a formula: at the beginning of a cell, or after `;`, `|`, a tab or a line break in it. The export is itself recorded, as `audit_log.exported`. Hosted edition only.',
  auth: 'product',
  permission: 'audit.read',
  edition: 'hosted',
  repeatable: REPEATABLE_AUDIT_FILTERS,
  query: z.strictObject({
    format: z
      .enum(EXPORT_FORMATS)
      .default('ndjson')
      .meta({ description: '`ndjson`: one JSON object on each line. `csv`: a table.' }),
    proof: z
      .enum(['true', 'false'])
      .default('false')
      .meta({ description: 'Whether to add what proves the events. Only as `ndjson`.' }),
    ...auditFilterFields,
  }),
  success: {
    status: 200,
    description: 'The events, one on each line. A line break ends each line.',
    headers: { 'Content-Disposition': 'Suggests a name for the file.' },
    streams: {
      'application/x-ndjson': `${eventExample}\n`,
      'text/csv':
        'sequence,id,organization_id,event_type,actor_type,actor_id,actor_display_name,subject_type,subject_id,data,occurred_at,sentence\r\n',
    },
  },
  errors: [],
  handler: async ({ principal, query }, context) => {
    const withProof = query.proof === 'true';
    if (withProof && query.format === 'csv')
      throw invalid([
        { pointer: '/query/proof', code: 'invalid_value', message: 'must be false for csv' },
      ]);
    const chunks = await exportAuditLog(context, {
      organizationId: principal.organizationId,
      actor: actorOf(principal),
      filter: auditFilterOf(query),
      format: query.format,
      withProof,
    });
    const type = query.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const disposition = `attachment; filename="audit.${query.format}"`;
    return { stream: { type, chunks }, headers: { 'Content-Disposition': disposition } };
  },
});

const checkpointsEndpoint = defineEndpoint({
  operationId: 'listAuditCheckpoints',
  method: 'get',
  path: '/api/v1/audit/checkpoints',
  tag: TAG,
  summary: 'List the checkpoints of the audit log',
  description:
    'Newest first. Keep some of them where administrators of the database cannot write: `countersign verify-audit --checkpoint` compares an export with them. Empty on a deployment without `COUNTERSIGN_AUDIT_KEY`. Hosted edition only.',
  auth: 'product',
  permission: 'audit.read',
  edition: 'hosted',
  query: z.strictObject({ limit: limitQuery(100), cursor: cursorQuery() }),
  success: {
    status: 200,
    description: 'The checkpoints.',
    body: z.strictObject({
      checkpoints: z.array(checkpointSchema).meta({ description: 'Newest first.' }),
      next_cursor: nextCursor(),
    }),
    example: {
      checkpoints: [checkpointExample],
    },
  },
  errors: [],
  handler: async ({ principal, query: { limit, cursor } }, context) => {
    const keys = decodeCursor(cursor, z.tuple([z.literal('audit_checkpoints'), z.int().min(1)]));
    const page = { limit, before: keys?.[1] };
    const { checkpoints, next } = await listAuditCheckpoints(context, principal, page);
    return {
      body: {
        checkpoints: checkpoints.map(printedCheckpoint),
        next_cursor: next && encodeCursor(['audit_checkpoints', next]),
      },
    };
  },
});

const newestCheckpointEndpoint = defineEndpoint({
  operationId: 'getAuditCheckpoint',
  method: 'get',
  path: '/api/v1/audit/checkpoint',
  tag: TAG,
  summary: 'Download the newest checkpoint',
  description:
    'A file to keep where administrators of the database cannot write. `countersign verify-audit --checkpoint` compares an export or the database with it. Owners also get it by email once a week. In both editions.',
  auth: 'member',
  permission: 'organization.settings.write',
  success: {
    status: 200,
    description: 'The checkpoint.',
    headers: { 'Content-Disposition': 'Suggests a name for the file.' },
    body: z.strictObject({ checkpoint: checkpointSchema }),
    example: { checkpoint: checkpointExample },
  },
  errors: ['not_found'],
  handler: async ({ principal }, context) => {
    const checkpoint = await newestAuditCheckpoint(context, principal);
    const disposition = `attachment; filename="checkpoint-${checkpoint.position}.json"`;
    return {
      body: { checkpoint: printedCheckpoint(checkpoint) },
      headers: { 'Content-Disposition': disposition },
    };
  },
});

const chainEndpoint = defineEndpoint({
  operationId: 'getAuditChain',
  method: 'get',
  path: '/api/v1/audit/chain',
  tag: TAG,
  summary: 'Get the state of the chain',
  description:
    'How far the audit log of the organization is sealed and signed. Events are sealed within about a second of their commit: older ones that wait are a problem of the deployment. Hosted edition only.',
  auth: 'product',
  permission: 'audit.read',
  edition: 'hosted',
  success: {
    status: 200,
    description: 'The state.',
    body: z.strictObject({
      position: z.int().min(0).meta({ description: 'Of the last entry; 0 before the first.' }),
      hash: hash('Of the last entry; absent before the first.').optional(),
      unsealed_count: z
        .int()
        .min(0)
        .max(MOST_UNSEALED)
        .meta({
          description: `Events that wait for their place. Counting stops at ${MOST_UNSEALED}.`,
        }),
      unsealed_since: timestamp(
        'When the oldest of these happened; absent without one.',
      ).optional(),
      signing_key_id: keyId().optional().meta({
        description:
          'The key that signs checkpoints now: the first 16 hexadecimal digits of the SHA-256 of the public key. Absent without `COUNTERSIGN_AUDIT_KEY`: nothing is signed.',
      }),
      refused: refusalSchema.optional(),
      checkpoint: checkpointSchema.optional(),
    }),
    example: {
      position: 1_204,
      hash: 'c3ccc33ba1ea09f7716fb90a02e09b103cab06308245b4a9faf7236e3ae4a5be',
      unsealed_count: 0,
      signing_key_id: '56475aa75463474c',
    },
  },
  errors: [],
  handler: async ({ principal }, context) => {
    const state = await readChainState(context, principal);
    return {
      body: {
        position: state.position ?? 0,
        hash: state.hash?.toString('hex'),
        unsealed_count: state.unsealed,
        unsealed_since: state.unsealedSince ?? undefined,
        signing_key_id: state.keyId,
        refused: refusalOf(state.refusal),
        checkpoint: state.checkpoint && printedCheckpoint(state.checkpoint),
      },
    };
  },
});

const keysEndpoint = defineEndpoint({
  operationId: 'listAuditKeys',
  method: 'get',
  path: '/.well-known/countersign-audit-keys',
  tag: TAG,
  summary: 'List the keys that verify the audit log',
  description:
    'The public keys of this deployment, the earlier ones too. Get them once and keep them: a list from the same place as the log it verifies is no proof.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The keys.',
    body: z.strictObject({
      keys: z
        .array(
          z.strictObject({
            key_id: keyId(),
            algorithm: z.literal('Ed25519').meta({ description: 'How it signs.' }),
            public_key: z.string().meta({ description: '32 bytes in base64.' }),
            first_used_at: nullableTimestamp(
              'When it first signed a checkpoint; null for one that has signed none yet.',
            ),
          }),
        )
        .meta({ description: 'The earliest first. Empty on a deployment that signs nothing.' }),
    }),
    example: {
      keys: [
        {
          key_id: '56475aa75463474c',
          algorithm: 'Ed25519',
          public_key: 'A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=',
          first_used_at: '2026-03-06T16:30:00.000Z',
        },
      ],
    },
  },
  errors: [],
  handler: async (_call, context) => {
    const keys = await listAuditKeys(context);
    return {
      body: {
        keys: keys.map(({ id, publicKey, firstUsedAt }) => ({
          key_id: id,
          algorithm: 'Ed25519',
          public_key: publicKey.toString('base64'),
          first_used_at: firstUsedAt ?? null,
        })),
      },
    };
  },
});

export const auditProofEndpoints: readonly Endpoint[] = [
  exportEndpoint,
  chainEndpoint,
  checkpointsEndpoint,
  newestCheckpointEndpoint,
  keysEndpoint,
];

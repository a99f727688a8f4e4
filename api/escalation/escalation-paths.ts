/** Escalation paths: who is asked, in which order, when a request needs a person. */
import type { RevisionSummary } from '../../src/domain/revisions.ts';
import { z } from 'zod';
import {
  newPathSchema,
  pathDocumentSchema,
  pathMembers,
} from '../../src/domain/escalation/document.ts';
import {
  archiveEscalationPath,
  createEscalationPath,
  escalationPathKind,
  listEscalationPaths,
  type EscalationPathRevision,
} from '../../src/services/escalation/escalation-paths.ts';
import { present } from '../http/present.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { DOCUMENT_ERRORS, printedMembers, storedMembers } from './escalation-document-schema.ts';
import { escalationPathUsesEndpoint } from './escalation-path-uses.ts';
import { presentWarning, warningsSchema } from './escalation-warnings-schema.ts';
import {
  historyExample,
  historyFields,
  neverActive,
  orAsRead,
  presentHistory,
} from '../revision-history.ts';
import {
  etag,
  etagHeader,
  revisionEndpoints,
  revisionNumber,
  summaryFields,
  summaryPage,
  summaryQuery,
} from '../revisions.ts';
import { nextCursor, readByDomain, searchQuery, slug, timestamp, uuid } from '../http/schema.ts';

const TAG = 'Escalation paths';
const BASE = '/api/v1/escalation-paths';

const pathRevisionSchema = z
  .strictObject({
    id: uuid('Identity of the revision.'),
    path_key: slug('Key of the path.'),
    revision: revisionNumber(),
    is_active: z
      .boolean()
      .meta({ description: 'Whether new requests on the path use this revision.' }),
    name: z.string().meta({ description: 'Name for people.' }),
    ...historyFields,
    archived_at: timestamp('When the path was archived.').optional(),
    ...printedMembers(pathMembers),
    document_version: z.int().meta({ description: 'Version of the document format.' }),
    warnings: warningsSchema(),
  })
  .meta({
    id: 'EscalationPathRevision',
    description: 'An immutable revision of an escalation path.',
  });

const pathSummarySchema = z
  .strictObject({
    path_key: slug('Key of the path.'),
    name: z.string().meta({ description: 'Name in the newest revision.' }),
    ...summaryFields,
    latest_created_at: timestamp('When the newest revision was created.'),
    archived_at: timestamp('When the path was archived.').optional(),
  })
  .meta({ id: 'EscalationPathSummary', description: 'A path without its document.' });

function presentRevision({ text, ...path }: EscalationPathRevision) {
  const { name, ...members } = storedMembers(text);
  return {
    id: path.id,
    path_key: path.pathKey,
    revision: path.revision,
    is_active: path.isActive,
    name,
    ...presentHistory(path),
    archived_at: path.archivedAt,
    ...members,
    document_version: 1,
    warnings: path.warnings.map(presentWarning),
  };
}

function presentSummary(summary: RevisionSummary) {
  return present(pathSummarySchema, {
    ...summary,
    name: summary.name ?? '',
    pathKey: summary.documentKey,
    revisionCount: summary.latestRevision,
  });
}

const documentExample = {
  name: 'On call',
  working_hours: [
    {
      id: 'office',
      name: 'Office hours',
      timezone: 'Europe/Berlin',
      intervals: [{ weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' }],
    },
  ],
  nodes: [
    {
      id: '0198f3a2-8e20-7b55-a4f5-708192a3b4c5',
      type: 'if_else',
      conditions: [
        {
          type: 'request',
          when: {
            id: 'large',
            field: '/request/arguments/amount',
            operator: 'greater_than',
            value: 10_000,
          },
        },
      ],
      then: [
        {
          id: '0198f3a2-8e21-7c66-b506-8192a3b4c5d6',
          type: 'level',
          targets: [{ type: 'user', id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70' }],
          escalate_after: '15m',
          raise_urgency: true,
        },
      ],
      else: [
        {
          id: '0198f3a2-8e23-7c66-b506-8192a3b4c5d6',
          type: 'defer',
          working_hours_id: 'office',
          standard_only: true,
        },
      ],
    },
    {
      id: '0198f3a2-8e24-7c66-b506-8192a3b4c5d6',
      type: 'level',
      targets: [{ type: 'team', id: '0198f3a2-6c00-7d3e-8f10-1a2b3c4d5e6f' }],
      escalate_after: '1h',
      raise_urgency: false,
    },
    {
      id: '0198f3a2-8e25-7c66-b506-8192a3b4c5d6',
      type: 'level',
      targets: [{ type: 'broadcast' }],
      escalate_after: '1h',
      raise_urgency: false,
    },
  ],
  repeat: { times: 2, after: '30m' },
};

const revisionExample = {
  id: '0198f3a2-8e22-7d77-8617-92a3b4c5d6e7',
  path_key: 'on-call',
  revision: 1,
  is_active: true,
  ...historyExample('2026-03-02T11:00:00.000Z', 'Nights go to the second line.'),
  ...documentExample,
  document_version: 1,
  warnings: [],
};

const params = { path_key: slug('Key of the path.') };

const listEscalationPathsEndpoint = defineEndpoint({
  operationId: 'listEscalationPaths',
  method: 'get',
  path: BASE,
  tag: TAG,
  summary: 'List escalation paths',
  description: 'In the order of their keys.',
  auth: 'product',
  permission: 'escalation_path.read',
  query: summaryQuery().extend({
    q: searchQuery('Only paths whose key or name in the newest revision contains this text.'),
  }),
  success: {
    status: 200,
    description: 'One page of paths.',
    body: z.strictObject({
      escalation_paths: z.array(pathSummarySchema).meta({ description: 'The paths of this page.' }),
      next_cursor: nextCursor(),
    }),
    example: {
      escalation_paths: [
        {
          path_key: 'on-call',
          name: 'On call',
          active_revision: 1,
          latest_revision: 1,
          revision_count: 1,
          latest_created_at: '2026-03-02T11:00:00.000Z',
        },
      ],
    },
  },
  errors: [],
  handler: async ({ principal, query }, context) => {
    const { summaries, next_cursor } = await summaryPage('paths', query, (page) =>
      listEscalationPaths(context, principal, page),
    );
    return { body: { escalation_paths: summaries.map(presentSummary), next_cursor } };
  },
});

const createEscalationPathEndpoint = defineEndpoint({
  operationId: 'createEscalationPath',
  method: 'post',
  path: BASE,
  tag: TAG,
  summary: 'Create an escalation path',
  description:
    'Creates the path and its first revision, which is inactive. Activate it with `If-Match: "0"`. A key that any path ever had is refused.',
  auth: 'product',
  bodyLimit: BODY_BYTES.large,
  permission: 'escalation_path.write',
  body: readByDomain(orAsRead(newPathSchema, ['document_version'])),
  documents: [''],
  requestExample: { path_key: 'on-call', ...documentExample },
  success: {
    status: 201,
    description: 'The first revision.',
    body: pathRevisionSchema,
    headers: etagHeader,
    example: neverActive(revisionExample),
  },
  errors: [...DOCUMENT_ERRORS, 'escalation_path_exists'],
  handler: async ({ principal, body }, context) => {
    const created = await createEscalationPath(context, principal, body);
    return { body: presentRevision(created.revision), headers: etag(created.activeRevision) };
  },
});

const archiveEscalationPathEndpoint = defineEndpoint({
  operationId: 'archiveEscalationPath',
  method: 'delete',
  path: `${BASE}/{path_key}`,
  tag: TAG,
  summary: 'Archive an escalation path',
  description:
    'Archiving is final: the key stays taken, and no revision is active any more. Refused while an active pipeline names the path. ' +
    'Requests already on the path stay on it. Archiving again changes nothing.',
  auth: 'product',
  permission: 'escalation_path.activate',
  params: z.strictObject(params),
  success: { status: 204, description: 'The path is archived.' },
  errors: ['escalation_path_in_use'],
  handler: async ({ principal, params: { path_key } }, context) => {
    await archiveEscalationPath(context, principal, path_key);
    return {};
  },
});

export const escalationPathEndpoints: readonly Endpoint[] = [
  listEscalationPathsEndpoint,
  createEscalationPathEndpoint,
  ...revisionEndpoints({
    kind: escalationPathKind,
    path: `${BASE}/{path_key}`,
    tag: TAG,
    operation: 'EscalationPath',
    noun: 'an escalation path',
    params,
    documentKey: (given) => given['path_key'] ?? '',
    body: readByDomain(orAsRead(pathDocumentSchema, ['path_key', 'document_version'])),
    requestExample: documentExample,
    revision: pathRevisionSchema,
    example: revisionExample,
    present: presentRevision,
    createErrors: [...DOCUMENT_ERRORS, 'escalation_path_archived'],
    activation:
      'Requests handed to people from then on use it. Requests already waiting keep their revision.',
    activateErrors: ['escalation_path_archived', 'escalation_target_missing'],
  }),
  archiveEscalationPathEndpoint,
  escalationPathUsesEndpoint,
];

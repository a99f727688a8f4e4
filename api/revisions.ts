/**
 * The operations of every revisioned resource, declared once: read the active revision; list, read,
 * create and activate revisions. Some resources can also be deactivated.
 */
import { z } from 'zod';
import { AppError, invalid, type ErrorCode } from '../src/domain/errors.ts';
import type { ArchiveStatus } from '../src/domain/revisions.ts';
import type { JsonText } from '../src/platform/json/exact-json.ts';
import type { ExactValue } from '../src/platform/json/exact-values.ts';
import { activateRevision, deactivateRevision } from '../src/services/revisions/activate.ts';
import { createRevision } from '../src/services/revisions/create.ts';
import type { RevisionedKind } from '../src/services/revisions/kind.ts';
import { getRevision, listRevisions, type SummaryQuery } from '../src/services/revisions/read.ts';
import { decodeCursor, encodeCursor } from './http/cursors.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint, type Success } from './http/endpoint.ts';
import { cursorQuery, limitQuery, nextCursor } from './http/schema.ts';
import { neverActive } from './revision-history.ts';

type Params = Readonly<Record<string, string>>;

export interface RevisionedResource<Names, View> {
  readonly kind: RevisionedKind<Names, View>;
  /** The path of one document, for example `/api/v1/escalation-paths/{path_key}`. */
  readonly path: string;
  readonly tag: string;
  /** Set where a deployment without a secrets key returns 501. */
  readonly needsSecretsKey?: true;
  /** The end of the operation ids, for example `EscalationPath`. */
  readonly operation: string;
  /** The owner of the revisions in a sentence: `an escalation path`. */
  readonly noun: string;
  /** The placeholders of `path`. */
  readonly params: Readonly<Record<string, z.ZodType<string>>>;
  readonly documentKey: (params: Params) => string;
  /** Documents the body, which the domain validates. */
  readonly body: z.ZodType<ExactValue | JsonText>;
  readonly requestExample: unknown;
  /** Presents a revision in a response. */
  readonly revision: z.ZodType;
  readonly example: Readonly<Record<string, unknown>>;
  /** Further members of the example that only the response to the first revision has. */
  readonly firstExample?: Readonly<Record<string, unknown>>;
  readonly present: (view: View) => unknown;
  /** Codes of creating beyond 400 and 404. */
  readonly createErrors: readonly ErrorCode[];
  /** The effect of an active revision, in a sentence. */
  readonly activation: string;
  /** Codes of activating beyond 404 and 412. */
  readonly activateErrors: readonly ErrorCode[];
  /** For resources that can be deactivated: the effect, and the codes beyond 404 and 412. */
  readonly deactivate?: { readonly description: string; readonly errors: readonly ErrorCode[] };
}

/** A revision number as `ETag`; 0 while none is active. */
export function etag(revision: number): Readonly<Record<string, string>> {
  return { ETag: `"${revision}"` };
}

export const etagHeader = {
  ETag: 'Number of the active revision, quoted; "0" while none is active. Pass it as If-Match when activating.',
};

/** The members of every revision in responses. */
export const revisionNumber = () =>
  z.int().meta({
    description: 'Number of the revision, from 1.',
    override: { type: 'integer', format: 'int64', minimum: 1 },
  });

export const revisionParam = z.string().meta({
  description: 'Number of the revision, from 1.',
  override: { type: 'integer', format: 'int64', minimum: 1 },
});

/**
 * Throws 400 unless it is a positive integer, and 404 when it is greater than any revision number.
 */
export function readRevisionNumber(text: string, pointer = '/path/revision'): number {
  if (!/^[1-9][0-9]*$/.test(text))
    throw invalid([{ pointer, code: 'invalid_value', message: 'must be a positive integer' }]);
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new AppError('not_found');
  return number;
}

/** The fields of a summary that do not depend on the kind. */
export const summaryFields = {
  active_revision: z
    .int()
    .optional()
    .meta({
      description: 'Number of the active revision; absent while none is active.',
      override: { type: 'integer', format: 'int64' },
    }),
  latest_revision: revisionNumber().meta({ description: 'Number of the newest revision.' }),
  revision_count: z.int().meta({ description: 'How many revisions there are.' }),
};

export const summaryQuery = (status: ArchiveStatus = 'live') =>
  z.strictObject({
    status: z
      .enum(['live', 'archived', 'all'])
      .default(status)
      .meta({ description: 'Which ones: `live`, `archived` or `all`.' }),
    limit: limitQuery(50),
    cursor: cursorQuery(),
  });

/**
 * One page of a list of summaries, and the cursor of the next. `list` separates the cursors of
 * different lists.
 */
export async function summaryPage<Summary>(
  list: string,
  {
    status,
    q,
    limit,
    cursor,
  }: z.output<ReturnType<typeof summaryQuery>> & { q?: string | undefined },
  read: (query: SummaryQuery) => Promise<{ summaries: readonly Summary[]; next?: string }>,
) {
  const pinned = [z.literal(list), z.literal(status), z.literal(q ?? '')] as const;
  const after = decodeCursor(cursor, z.tuple([...pinned, z.string()]))?.[3];
  const { summaries, next } = await read({ status, q, limit, after });
  return { summaries, next_cursor: next && encodeCursor([list, status, q ?? '', next]) };
}

/**
 * The endpoints of one resource. A path without placeholder implies no 404, so the endpoints
 * declare it.
 */
export function revisionEndpoints<Names, View>(
  resource: RevisionedResource<Names, View>,
): readonly Endpoint[] {
  return [
    getActiveEndpoint(resource),
    listEndpoint(resource),
    getEndpoint(resource),
    createEndpoint(resource),
    activateEndpoint(resource),
    ...(resource.deactivate ? [deactivateEndpoint(resource, resource.deactivate)] : []),
  ];
}

/** The declaration that all of them share. */
function common<Names, View>({
  kind,
  tag,
  needsSecretsKey,
  params,
  documentKey,
}: RevisionedResource<Names, View>) {
  return {
    ...(needsSecretsKey && { needsSecretsKey }),
    tag,
    auth: 'product',
    params: z.strictObject({ ...params }),
    permissionAt: (given: Params) => kind.targetOf(documentKey(given)),
  } as const;
}

function withRevision<Names, View>({ params }: RevisionedResource<Names, View>) {
  return z.strictObject({ ...params, revision: revisionParam });
}

function oneRevision<Names, View>(
  resource: RevisionedResource<Names, View>,
  description: string,
): Success {
  return {
    status: 200,
    description,
    body: resource.revision,
    headers: etagHeader,
    example: resource.example,
  };
}

function getActiveEndpoint<Names, View>(resource: RevisionedResource<Names, View>): Endpoint {
  const { kind, noun, operation, path, present, documentKey } = resource;
  return defineEndpoint({
    ...common(resource),
    operationId: `getActive${operation}Revision`,
    method: 'get',
    path,
    summary: `Get the active revision of ${noun}`,
    permission: kind.permissions.read,
    success: oneRevision(resource, 'The active revision.'),
    errors: ['not_found'],
    handler: async ({ principal, params }, context) => {
      const found = await getRevision(context, principal, {
        kind,
        documentKey: documentKey(params),
        revision: 'active',
      });
      return { body: present(found.revision), headers: etag(found.number) };
    },
  });
}

function listEndpoint<Names, View>(resource: RevisionedResource<Names, View>): Endpoint {
  const { kind, noun, operation, path, present, documentKey } = resource;
  return defineEndpoint({
    ...common(resource),
    operationId: `list${operation}Revisions`,
    method: 'get',
    path: `${path}/revisions`,
    summary: `List the revisions of ${noun}`,
    description: 'Newest first. A cursor of another document is a 400.',
    permission: kind.permissions.read,
    query: z.strictObject({ limit: limitQuery(50), cursor: cursorQuery() }),
    success: {
      status: 200,
      description: 'One page of revisions.',
      body: z.strictObject({
        revisions: z.array(resource.revision).meta({ description: 'The revisions of this page.' }),
        next_cursor: nextCursor(),
        total_count: z.int().meta({
          description: 'How many revisions there are on all pages.',
          override: { type: 'integer', format: 'int64' },
        }),
      }),
      example: { revisions: [resource.example], total_count: 1 },
    },
    errors: ['not_found'],
    handler: async ({ principal, params, query: { limit, cursor } }, context) => {
      const keys = decodeCursor(
        cursor,
        z.tuple([z.literal('revisions'), z.uuid(), z.int().min(1)]),
      );
      const after = keys && { documentId: keys[1], revision: keys[2] };
      const list = await listRevisions(context, principal, {
        kind,
        documentKey: documentKey(params),
        after,
        limit,
      });
      const next_cursor =
        list.next && encodeCursor(['revisions', list.next.documentId, list.next.revision]);
      const revisions = await list.revisions.map(present);
      return { body: { revisions, next_cursor, total_count: list.totalCount } };
    },
  });
}

function getEndpoint<Names, View>(resource: RevisionedResource<Names, View>): Endpoint {
  const { kind, noun, operation, path, present, documentKey } = resource;
  return defineEndpoint({
    ...common(resource),
    operationId: `get${operation}Revision`,
    method: 'get',
    path: `${path}/revisions/{revision}`,
    summary: `Get a revision of ${noun}`,
    permission: kind.permissions.read,
    params: withRevision(resource),
    success: {
      status: 200,
      description: 'The revision.',
      body: resource.revision,
      example: resource.example,
    },
    errors: [],
    handler: async ({ principal, params }, context) => {
      const revision = readRevisionNumber(params['revision'] ?? '');
      const found = await getRevision(context, principal, {
        kind,
        documentKey: documentKey(params),
        revision,
      });
      return { body: present(found.revision) };
    },
  });
}

function createEndpoint<Names, View>(resource: RevisionedResource<Names, View>): Endpoint {
  const { kind, noun, operation, path, present, documentKey } = resource;
  return defineEndpoint({
    ...common(resource),
    operationId: `create${operation}Revision`,
    method: 'post',
    path: `${path}/revisions`,
    summary: `Create a revision of ${noun}`,
    description: `The next revision, inactive${kind.createdByFirstRevision ? '; the first one needs nothing before it' : ''}. Which revision is active does not change.`,
    permission: kind.permissions.write,
    bodyLimit: BODY_BYTES.large,
    body: resource.body,
    documents: [''],
    requestExample: resource.requestExample,
    success: {
      status: 201,
      description: 'The new revision.',
      body: resource.revision,
      headers: etagHeader,
      example: neverActive({ ...resource.example, ...resource.firstExample }),
    },
    errors: ['not_found', ...resource.createErrors],
    handler: async ({ principal, params, body }, context) => {
      const created = await createRevision(context, principal, {
        kind,
        documentKey: documentKey(params),
        body,
      });
      return { body: present(created.revision), headers: etag(created.activeRevision) };
    },
  });
}

function activateEndpoint<Names, View>(resource: RevisionedResource<Names, View>): Endpoint {
  const { kind, noun, operation, path, present, documentKey } = resource;
  return defineEndpoint({
    ...common(resource),
    operationId: `activate${operation}Revision`,
    method: 'post',
    path: `${path}/revisions/{revision}/activate`,
    summary: `Activate a revision of ${noun}`,
    description:
      `${resource.activation} ` +
      'Takes the revision expected to be active as `If-Match`, `"0"` while none is. If another one is active by now, the response is 412 ' +
      'with `details.active_revision`. Activating the active revision again changes nothing.',
    permission: kind.permissions.activate,
    headers: { ifMatch: 'required' },
    params: withRevision(resource),
    success: oneRevision(resource, 'The revision, now active.'),
    errors: ['revision_conflict', ...resource.activateErrors],
    handler: async ({ principal, params, ifMatch }, context) => {
      const revision = readRevisionNumber(params['revision'] ?? '');
      const change = { kind, documentKey: documentKey(params), revision, expected: ifMatch };
      const activated = await activateRevision(context, principal, change);
      return { body: present(activated.revision), headers: etag(activated.activeRevision) };
    },
  });
}

function deactivateEndpoint<Names, View>(
  resource: RevisionedResource<Names, View>,
  { description, errors }: NonNullable<RevisionedResource<Names, View>['deactivate']>,
): Endpoint {
  const { kind, noun, operation, path, documentKey } = resource;
  return defineEndpoint({
    ...common(resource),
    operationId: `deactivate${operation}Revision`,
    method: 'delete',
    path: `${path}/active`,
    summary: `Deactivate the active revision of ${noun}`,
    description:
      `${description} Takes the revision expected to be active as \`If-Match\`; if another one is active by now, the response is 412 with ` +
      '`details.active_revision`. With `"0"` while none is active it changes nothing.',
    permission: kind.permissions.activate,
    headers: { ifMatch: 'required' },
    success: { status: 204, description: 'No revision is active.' },
    errors: ['revision_conflict', ...errors],
    handler: async ({ principal, params, ifMatch }, context) => {
      await deactivateRevision(context, principal, {
        kind,
        documentKey: documentKey(params),
        expected: ifMatch,
      });
      return {};
    },
  });
}

/** What the pages of escalation paths read. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { JsonText, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { ApiError, call } from '../../shared/api/api.ts';
import { listPages } from '../../shared/api/lists.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { Base } from '../../shared/editor/document-state.ts';
import type { ListSearch } from '../../shared/routes/list-search.ts';
import { printedJson } from '../../shared/editor/printed-json.ts';
import { withValue } from '../../shared/editor/splices.ts';
import {
  editedRevisions,
  HISTORY_PAGE,
  type Activated,
  type EditedRevisions,
  type SavedText,
  asText,
  commented,
} from '../../shared/editor/revisions.ts';

export type PathSummary = components['schemas']['EscalationPathSummary'];
export type PathRevision = components['schemas']['EscalationPathRevision'];
export type EscalationWarning = PathRevision['warnings'][number];
export type Preview = components['schemas']['EscalationPathPreview'];

export const pathListQuery = ({ q, show }: ListSearch<'archived'>) =>
  listPages({
    name: ['escalation-paths', 'list'],
    filter: { q, show },
    read: async (page, signal) => {
      const query = { status: show ?? ('live' as const), ...(q !== undefined && { q }), ...page };
      return (await call('get', '/api/v1/escalation-paths', { params: { query }, signal })).body;
    },
  });

/** Members of a revision that keep their digits: `JsonText`, whatever their types say. */
export const DOCUMENT = ['working_hours', 'nodes', 'repeat'];

/** A revision with its document as JSON text. */
export interface ReadRevision {
  readonly revision: PathRevision;
  readonly text: string;
}

const read = (revision: PathRevision): ReadRevision => ({ revision, text: documentText(revision) });

function documentText({ name, working_hours: hours, nodes, repeat }: PathRevision): string {
  return printedJson(stringifyExact({ name, working_hours: hours, nodes, repeat }));
}

/** The active revision, if there is one, and the newest one. */
export const pathQuery = (pathKey: string) =>
  queryOptions({
    queryKey: ['escalation-paths', 'path', pathKey],
    queryFn: async ({ signal }) => {
      const [active, newest] = await Promise.all([
        activeRevision(pathKey, signal),
        newestRevision(pathKey, signal),
      ]);
      return { active, newest };
    },
  });

async function activeRevision(pathKey: string, signal: AbortSignal) {
  const path = { path_key: pathKey };
  try {
    const given = { params: { path }, signal };
    const { body } = await call('get', '/api/v1/escalation-paths/{path_key}', given, DOCUMENT);
    return read(body);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function newestRevision(pathKey: string, signal: AbortSignal) {
  const params = { path: { path_key: pathKey }, query: { limit: 1 } };
  const { body } = await call(
    'get',
    '/api/v1/escalation-paths/{path_key}/revisions',
    { params, signal },
    DOCUMENT,
  );
  const [newest] = body.revisions;
  if (newest) return read(newest);
  throw new ApiError({
    ...{ status: 404, code: 'not_found', message: '', details: {}, requestId: undefined },
  });
}

export interface Circumstances {
  readonly startsAt: string;
  readonly urgency: 'standard' | 'interrupt';
  /** As the API writes durations; empty for none. */
  readonly timeout: string;
  readonly call?: PreviewedCall;
  /** The document is the policy of this team. */
  readonly teamId?: string;
}

/** A request that was made, as an example. */
export interface PreviewedCall {
  readonly agent: { readonly slug: string; readonly name: string };
  /** JSON. */
  readonly request: string;
}

/** `text`: the document. It is sent as it is written. */
export const previewQuery = (text: string, given: Circumstances) =>
  queryOptions({
    queryKey: ['escalation-paths', 'preview', text, given],
    queryFn: async ({ signal }) => {
      const body = {
        document: new JsonText(text),
        ...(given.teamId !== undefined && { team_id: given.teamId }),
        starts_at: given.startsAt,
        urgency: given.urgency,
        ...(given.timeout !== '' && { timeout: given.timeout }),
        ...(given.call && {
          agent: given.call.agent,
          request: new JsonText(given.call.request),
        }),
      };
      const init = { body: body as never, bodySerializer: stringifyExact, signal };
      return (await call('post', '/api/v1/escalation-paths/preview', init)).body;
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
    retry: false,
  });

export const baseOf = ({ revision, text }: ReadRevision): Base => ({
  revision: revision.revision,
  text,
});

async function savePath(pathKey: string, given: SavedText): Promise<ReadRevision> {
  const params = { path: { path_key: pathKey } };
  const { body } = await call(
    'post',
    '/api/v1/escalation-paths/{path_key}/revisions',
    { ...asText(commented(given)), params },
    DOCUMENT,
  );
  return read(body);
}

/** `text`: the document without its key. The first revision is not active. */
export async function createPath(pathKey: string, text: string): Promise<ReadRevision> {
  const keyed = withValue(text, '/path_key', stringifyExact(pathKey));
  const { body } = await call('post', '/api/v1/escalation-paths', asText(keyed), DOCUMENT);
  return read(body);
}

/** `over`: the revision that is expected to be active. */
async function activatePath(pathKey: string, { revision, over }: Activated): Promise<ReadRevision> {
  const header = { 'If-Match': `"${over}"` };
  const { body } = await call(
    'post',
    '/api/v1/escalation-paths/{path_key}/revisions/{revision}/activate',
    { params: { path: { path_key: pathKey, revision }, header } },
    DOCUMENT,
  );
  return read(body);
}

export const pathRevisions = (pathKey: string): EditedRevisions =>
  editedRevisions(['escalation-paths', 'revisions', pathKey], {
    save: async (given) => baseOf(await savePath(pathKey, given)),
    activate: async (given) => baseOf(await activatePath(pathKey, given)),
    page: async (page, signal) => {
      const query = { limit: HISTORY_PAGE, ...page };
      const params = { path: { path_key: pathKey }, query };
      const { body } = await call(
        'get',
        '/api/v1/escalation-paths/{path_key}/revisions',
        { params, signal },
        DOCUMENT,
      );
      return body;
    },
    one: async (revision, signal) => {
      const params = { path: { path_key: pathKey, revision } };
      const { body } = await call(
        'get',
        '/api/v1/escalation-paths/{path_key}/revisions/{revision}',
        { params, signal },
        DOCUMENT,
      );
      return read(body);
    },
  });

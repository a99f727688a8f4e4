/** What the pages of team policies read and write. */
import { queryOptions } from '@tanstack/react-query';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { ApiError, call } from '../../../shared/api/api.ts';
import type { components } from '../../../shared/api/openapi.d.ts';
import type { Base } from '../../../shared/editor/document-state.ts';
import { printedJson } from '../../../shared/editor/printed-json.ts';
import { DOCUMENT } from '../paths-data.ts';
import {
  editedRevisions,
  HISTORY_PAGE,
  type Activated,
  type EditedRevisions,
  type SavedText,
  asText,
  commented,
} from '../../../shared/editor/revisions.ts';

type PolicyRevision = components['schemas']['TeamEscalationPolicyRevision'];

export interface ReadPolicy {
  readonly revision: PolicyRevision;
  readonly text: string;
}

const read = (revision: PolicyRevision): ReadPolicy => ({ revision, text: textOf(revision) });

function textOf({ working_hours: hours, nodes, repeat }: PolicyRevision): string {
  return printedJson(stringifyExact({ working_hours: hours, nodes, repeat }));
}

export const policyBase = ({ revision, text }: ReadPolicy): Base => ({
  revision: revision.revision,
  text,
});

const keyOf = (teamId: string) => ['team-policies', teamId] as const;

/** The active revision, and the newest one. A team may have neither. */
export const policyQuery = (teamId: string) =>
  queryOptions({
    queryKey: keyOf(teamId),
    queryFn: async ({ signal }) => {
      const [active, page] = await Promise.all([
        activeRevision(teamId, signal),
        revisionsPage(teamId, { limit: 1 }, signal),
      ]);
      const [newest] = page.revisions;
      return { active, newest: newest && read(newest) };
    },
  });

async function activeRevision(teamId: string, signal: AbortSignal) {
  try {
    const given = { params: { path: { id: teamId } }, signal };
    return read((await call('get', '/api/v1/teams/{id}/escalation-policy', given, DOCUMENT)).body);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

async function revisionsPage(teamId: string, query: PageQuery, signal: AbortSignal) {
  const params = { path: { id: teamId }, query };
  const path = '/api/v1/teams/{id}/escalation-policy/revisions';
  return (await call('get', path, { params, signal }, DOCUMENT)).body;
}

async function save(teamId: string, given: SavedText): Promise<Base> {
  const params = { path: { id: teamId } };
  const path = '/api/v1/teams/{id}/escalation-policy/revisions';
  const { body } = await call('post', path, { ...asText(commented(given)), params }, DOCUMENT);
  return policyBase(read(body));
}

async function activate(teamId: string, { revision, over }: Activated): Promise<Base> {
  const { body } = await call(
    'post',
    '/api/v1/teams/{id}/escalation-policy/revisions/{revision}/activate',
    { params: { path: { id: teamId, revision }, header: { 'If-Match': `"${over}"` } } },
    DOCUMENT,
  );
  return policyBase(read(body));
}

/** `over`: the revision that is expected to be active. */
export async function deactivatePolicy(teamId: string, over: number): Promise<void> {
  const params = { path: { id: teamId }, header: { 'If-Match': `"${over}"` } };
  await call('delete', '/api/v1/teams/{id}/escalation-policy/active', { params });
}

export const policyRevisions = (teamId: string): EditedRevisions =>
  editedRevisions(['team-policies', 'revisions', teamId], {
    save: async (given) => await save(teamId, given),
    activate: async (given) => await activate(teamId, given),
    page: async (page, signal) => {
      const query = { limit: HISTORY_PAGE, ...page };
      return await revisionsPage(teamId, query, signal);
    },
    one: async (revision, signal) => {
      const params = { path: { id: teamId, revision } };
      const path = '/api/v1/teams/{id}/escalation-policy/revisions/{revision}';
      return read((await call('get', path, { params, signal }, DOCUMENT)).body);
    },
  });

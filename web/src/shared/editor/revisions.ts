/** The revisions of a document, as its editor reads and writes them. */
import { queryOptions } from '@tanstack/react-query';
import { JsonText, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { listPages } from '../api/lists.ts';
import type { Base } from './document-state.ts';
import { withValue } from './splices.ts';

export interface ListedRevision {
  readonly revision: number;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly created_by: { readonly display_name: string };
  readonly comment?: string | undefined;
}

export interface SavedText {
  readonly text: string;
  readonly comment: string;
}

export interface Activated {
  readonly revision: number;
  /** The revision that is expected to be active, for `If-Match`. */
  readonly over: number;
}

interface HistoryPage {
  readonly revisions: readonly ListedRevision[];
  readonly next_cursor?: string | undefined;
}

/** How a resource reads, saves and activates its revisions. Their texts are as they are edited. */
interface RevisionCalls {
  readonly page: (page: { readonly cursor?: string }, signal: AbortSignal) => Promise<HistoryPage>;
  readonly one: (revision: number, signal: AbortSignal) => Promise<{ readonly text: string }>;
  readonly save: (given: SavedText) => Promise<Base>;
  readonly activate: (given: Activated) => Promise<Base>;
}

export interface EditedRevisions extends Pick<RevisionCalls, 'save' | 'activate'> {
  /** Begins the keys of its queries. All queries with the same first part are read again after a change. */
  readonly name: readonly [string, ...string[]];
  readonly history: ReturnType<typeof historyOf>;
  readonly textOf: (revision: number) => ReturnType<typeof revisionOf>;
}

export const editedRevisions = (
  name: EditedRevisions['name'],
  { page, one, save, activate }: RevisionCalls,
): EditedRevisions => ({
  ...{ name, save, activate },
  history: historyOf(name, page),
  textOf: (revision) => revisionOf(name, { revision, one }),
});

/** All revisions, newest first. */
const historyOf = (name: readonly string[], page: RevisionCalls['page']) =>
  listPages({ name: [...name, 'history'], read: page });

/** Revisions never change. */
const revisionOf = (
  name: readonly string[],
  { revision, one }: { readonly revision: number; readonly one: RevisionCalls['one'] },
) =>
  queryOptions({
    queryKey: [...name, 'revision', String(revision)],
    queryFn: async ({ signal }) => (await one(revision, signal)).text,
    staleTime: Infinity,
  });

/** How many revisions a page of the history has. */
export const HISTORY_PAGE = 20;

/** The text goes to the service as it is: no digit of it is read on the way. */
export const asText = (text: string) => ({
  body: new JsonText(text) as never,
  bodySerializer: stringifyExact,
});

/** The comment is a member of what is sent. */
export const commented = ({ text, comment }: SavedText): string =>
  comment === '' ? text : withValue(text, '/comment', stringifyExact(comment));

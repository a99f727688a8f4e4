/** What the audit log shows, as its address says. */
import { typed } from '../../shared/routes/list-search.ts';

const NAMES = [
  'q',
  'type',
  // What it is about: a kind, and one of it.
  'kind',
  'subject',
  'by',
  'actor',
  'outcome',
  // Days of the reader, both included.
  'from',
  'to',
  // Absent: the newest first.
  'order',
  // The event that is open.
  'event',
] as const;

export type AuditSearch = { readonly [Name in (typeof NAMES)[number]]?: string };

const MOST_TEXT = 200;

/** `filterOf` leaves out what is no filter. */
export const readAuditSearch = (search: Readonly<Record<string, unknown>>): AuditSearch =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = typed(search[name], MOST_TEXT);
      return value === undefined ? [] : [[name, value]];
    }),
  );

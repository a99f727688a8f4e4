/** Where in the queue "Urgent", "Soon" and "Later" begin. Pure. */
import type { Summary } from './change-log.ts';

const GROUPS = ['urgent', 'soon', 'later'] as const;
export type Group = (typeof GROUPS)[number];

const SOON_SECONDS = 60 * 60;

type Grouped = Pick<Summary, 'urgency' | 'deadline_at'>;

function groupOf({ urgency, deadline_at: deadline }: Grouped, nowSeconds: number): Group {
  if (urgency === 'interrupt') return 'urgent';
  return Date.parse(deadline) / 1_000 - nowSeconds < SOON_SECONDS ? 'soon' : 'later';
}

/**
 * The group that begins at each row, by the row's index. Of a row that became urgent after the list was read, the rows
 * stay where they are: no group begins twice.
 */
export function groupStarts(
  rows: readonly Grouped[],
  nowSeconds: number,
): ReadonlyMap<number, Group> {
  const starts = new Map<number, Group>();
  let last = -1;
  for (const [index, row] of rows.entries()) {
    const group = GROUPS.indexOf(groupOf(row, nowSeconds));
    if (group <= last) continue;
    last = group;
    starts.set(index, GROUPS[group] ?? 'later');
  }
  return starts;
}

/**
 * Pages whose rows hold documents of callers, up to a megabyte each. One statement reads all rows,
 * with their documents as long as these are short together. The other documents follow in batches.
 *
 * Documents never change, and rows that a page shows are never deleted. So the page is one
 * snapshot, however late its documents are read.
 */
import { LongList } from '../platform/long-list.ts';

/** How many bytes of documents one statement reads. A longer document is read alone. */
export const BATCH_BYTES = 1024 * 1024;

/** A row of a page. `documentsEnd`: the bytes of the page's documents up to this row's. */
export interface SizedRow {
  readonly id: string;
  readonly documentsEnd: number;
}

/** SQL: the bytes of documents, which are columns of type `json`. */
export function bytesOf(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(cast(${column} as text)), 0)`).join(' + ');
}

/** SQL: the document of a row, or null where it is read later. */
export function documentAtOnce(column: string): string {
  return `case when r.documents_end <= ${BATCH_BYTES} then r.${column} end as ${column}`;
}

/** The page as a list. `read` returns the documents of rows by their ids, and `build` makes an item. */
export function longPage<Row extends SizedRow, Documents extends { readonly id: string }, T>(
  rows: readonly Row[],
  { read, build }: { read: (ids: string[]) => Promise<Documents[]>; build: (row: Row) => T },
): LongList<T> {
  const start = rows.findIndex((row) => row.documentsEnd > BATCH_BYTES);
  if (start < 0) return new LongList(rows.map(build));
  return new LongList(rows.slice(0, start).map(build), readRest());

  async function* readRest(): AsyncGenerator<readonly T[]> {
    for (const batch of batchesFrom(rows, start)) {
      const found = await read(batch.map(({ id }) => id));
      const documents = new Map(found.map((each) => [each.id, each]));
      yield batch.flatMap((row) => {
        const own = documents.get(row.id);
        return own ? [build({ ...row, ...own })] : [];
      });
    }
  }
}

function batchesFrom<Row extends SizedRow>(rows: readonly Row[], start: number): Row[][] {
  const batches: Row[][] = [];
  let begun = rows[start - 1]?.documentsEnd ?? 0;
  for (const [index, row] of rows.entries()) {
    if (index < start) continue;
    const batch = batches.at(-1);
    if (batch && row.documentsEnd - begun <= BATCH_BYTES) batch.push(row);
    else {
      begun = rows[index - 1]?.documentsEnd ?? 0;
      batches.push([row]);
    }
  }
  return batches;
}

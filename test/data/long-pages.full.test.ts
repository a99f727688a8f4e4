/** The documents of a page are read in batches of bounded size, in the page's order. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BATCH_BYTES, longPage } from '../../src/data/long-pages.ts';

interface Row {
  readonly id: string;
  readonly documentsEnd: number;
  readonly document: string | null;
}

/** Rows with documents of these sizes, as the statement of a page returns them. */
function pageOf(sizes: readonly number[]): Row[] {
  let documentsEnd = 0;
  return sizes.map((size, index) => {
    documentsEnd += size;
    const document = documentsEnd <= BATCH_BYTES ? `of ${index}` : null;
    return { id: String(index), documentsEnd, document };
  });
}

/** Reads the page. `gone`: rows that have vanished since. */
async function read(rows: readonly Row[], gone: readonly string[] = []) {
  const batches: string[][] = [];
  const list = longPage(rows, {
    build: ({ id, document }: Row) => ({ id, document }),
    read: (ids) => {
      batches.push(ids);
      return Promise.resolve(
        ids
          .filter((id) => !gone.includes(id))
          .map((id) => ({ id, document: `of ${id}` }))
          .reverse(),
      );
    },
  });
  const items = [...list.first];
  for await (const batch of list.rest ?? []) items.push(...batch);
  return { items, batches, atOnce: list.first.length };
}

test('every row has its document, and a batch is bounded in bytes or has one row', async () => {
  const size = fc.oneof(fc.integer({ min: 2, max: 2_000 }), fc.integer({ min: 2, max: 2_000_000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 60 }), async (sizes) => {
      const { items, batches, atOnce } = await read(pageOf(sizes));
      expect(items).toEqual(sizes.map((_, index) => ({ id: `${index}`, document: `of ${index}` })));
      expect([...items.slice(0, atOnce).map(({ id }) => id), ...batches.flat()]).toHaveLength(
        sizes.length,
      );
      for (const batch of batches) {
        const bytes = batch.reduce((sum, id) => sum + (sizes[Number(id)] ?? 0), 0);
        expect(batch.length === 1 || bytes <= BATCH_BYTES).toBe(true);
      }
    }),
  );
});

test('a page of short documents is one statement', async () => {
  const { batches, atOnce } = await read(pageOf(Array.from({ length: 200 }, () => 5_000)));
  expect({ batches, atOnce }).toEqual({ batches: [], atOnce: 200 });
});

test('a row that has vanished is left out', async () => {
  const { items } = await read(pageOf([BATCH_BYTES, 10, BATCH_BYTES, 20]), ['1', '2']);
  expect(items.map(({ id }) => id)).toEqual(['0', '3']);
});

/** Opaque cursors: base64url of a JSON array with the name of the list and its sort keys. */
import type { z } from 'zod';
import { invalid } from '../../src/domain/errors.ts';
import { ExactJsonError, parseExact, stringifyExact } from '../../src/platform/json/exact-json.ts';

export function encodeCursor(keys: readonly [list: string, ...keys: (string | number)[]]): string {
  return Buffer.from(stringifyExact(keys)).toString('base64url');
}

/**
 * The keys of a cursor of this very list; undefined without a cursor. `keys` should check the
 * object that the cursor belongs to, so that a cursor of another list or filter is a 400.
 */
export function decodeCursor<S extends z.ZodType>(
  cursor: string | undefined,
  keys: S,
  pointer = '/query/cursor',
): z.output<S> | undefined {
  if (cursor === undefined) return undefined;
  const decoded = cursorKeys(cursor);
  const parsed = keys.safeParse(decoded);
  // No key of ours contains NUL, which the database refuses in a text.
  if (parsed.success && !JSON.stringify(decoded).includes('\\u0000')) return parsed.data;
  throw invalid([
    {
      pointer,
      code: 'invalid_cursor',
      message: 'must be a next_cursor of this list with these filters',
    },
  ]);
}

function cursorKeys(cursor: string): unknown {
  try {
    return parseExact(Buffer.from(cursor, 'base64url').toString());
  } catch (error) {
    if (error instanceof ExactJsonError) return undefined;
    throw error;
  }
}

/** Parses long texts without holding the event loop. */
import { takeTurns } from '../event-loop.ts';
import { slicedParser } from './exact-json.ts';
import type { ExactValue } from './exact-values.ts';

/** About a millisecond of parsing, even of deep nesting. */
const SLICE = 4 * 1024;

/** Like `parseExact`, in turns. */
export async function parseInSlices(text: string): Promise<ExactValue> {
  const parse = slicedParser(text);
  const nextSlice = takeTurns();
  for (;;) {
    const value = parse(SLICE);
    if (value !== undefined) return value;
    await nextSlice();
  }
}

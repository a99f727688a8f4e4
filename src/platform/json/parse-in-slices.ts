/** Parses long texts without holding the event loop. */
import { createYielder } from '../event-loop.ts';
import { slicedParser } from './exact-json.ts';
import type { ExactValue } from './exact-values.ts';

/** About a millisecond of parsing, even of deep nesting. */
const SLICE = 4 * 1024;

/** Like `parseExact`, and yields after slices. */
export async function parseInSlices(text: string): Promise<ExactValue> {
  const parse = slicedParser(text);
  const yieldIfDue = createYielder();
  for (;;) {
    const value = parse(SLICE);
    if (value !== undefined) return value;
    await yieldIfDue();
  }
}

/** Parses long texts without holding the event loop. */
import { setImmediate } from 'node:timers/promises';
import { slicedParser, type ExactValue } from './exact-json.ts';

/** A few milliseconds of parsing, even of deep nesting. */
const SLICE = 16 * 1024;

/** Like `parseExact`. Other work has its turn between the slices of a long text. */
export async function parseInSlices(text: string): Promise<ExactValue> {
  const parse = slicedParser(text);
  for (;;) {
    const value = parse(SLICE);
    if (value !== undefined) return value;
    await setImmediate();
  }
}

/**
 * Prints rows of the fleet in Postgres's text format, for `copy … from program`:
 * `node print-rows.js <table> <organization> <membership>`.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tables, type Cell } from './fleet.ts';

const LINES_CHARACTERS = 1024 * 1024;

/** Many lines at once: a write for each would take most of the time. */
function* linesOf(rows: Iterable<Cell[]>): Generator<string> {
  let text = '';
  for (const row of rows) {
    text += `${row.map((cell) => cell ?? '\\N').join('\t')}\n`;
    if (text.length < LINES_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

const [, , table = '', organization = '', membership = ''] = process.argv;
const rows = tables[table]?.rows(organization, membership, Date.now()) ?? [];
await pipeline(Readable.from(linesOf(rows)), process.stdout);

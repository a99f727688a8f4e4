/** Prints a value in pieces, so that a response is never one long text. */
import { LongList } from '../long-list.ts';
import { stringifyExact } from './exact-json.ts';

/** The place of items that are read later. `before` goes before the first of them. */
export interface LaterItems {
  readonly batches: AsyncIterable<readonly unknown[]>;
  readonly before: string;
}

/** The text of `stringifyExact` in pieces. The items of lists that an object holds are pieces. */
export function* exactPieces(value: unknown): Generator<string | LaterItems> {
  if (!isPlainObject(value)) {
    yield stringifyExact(value);
    return;
  }
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${stringifyExact(name)}:`;
    if (member instanceof LongList) yield* longListPieces(member);
    else if (Array.isArray(member)) yield* listPieces(member);
    else yield stringifyExact(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listPieces(items: readonly unknown[]): Generator<string> {
  yield* itemPieces(items, '[');
  yield items.length === 0 ? '[]' : ']';
}

function* longListPieces({ first, rest }: LongList<unknown>): Generator<string | LaterItems> {
  yield '[';
  yield* itemPieces(first, '');
  if (rest) yield { batches: rest, before: first.length === 0 ? '' : ',' };
  yield ']';
}

/** The items with their commas, once they are read. */
export async function* laterPieces({ batches, before }: LaterItems): AsyncGenerator<string> {
  let separator = before;
  for await (const items of batches) {
    yield* itemPieces(items, separator);
    if (items.length > 0) separator = ',';
  }
}

/** The items with a comma between them, and `before` the first. */
function* itemPieces(items: readonly unknown[], before: string): Generator<string> {
  let separator = before;
  for (const item of items) {
    yield separator + stringifyExact(item);
    separator = ',';
  }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

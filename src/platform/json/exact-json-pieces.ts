import { stringifyExact } from './exact-json.ts';

/** The text of `stringifyExact` in pieces. The items of lists that an object holds are pieces. */
export function* exactPieces(value: unknown): Generator<string> {
  if (!isPlainObject(value)) {
    yield stringifyExact(value);
    return;
  }
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${stringifyExact(name)}:`;
    if (Array.isArray(member)) yield* itemPieces(member);
    else yield stringifyExact(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* itemPieces(items: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + stringifyExact(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

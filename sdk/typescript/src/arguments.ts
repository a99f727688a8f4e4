/** The arguments of a call as JSON text, and as an object for the tool. */
import { canonical, itemsOf, membersOf } from './exact.ts';

/** Arguments as source text, for callers that have the text of the model: no digit is read and printed again. */
export class JsonText {
  readonly #text: string;

  constructor(text: string) {
    if (!canonical(text).startsWith('{')) throw new TypeError('The arguments must be an object.');
    // UTF-8 cannot carry them, so the service would get other arguments.
    if (/[\ud800-\udfff]/u.test(text))
      throw new TypeError(
        'The arguments have half a character. Write it as an escape, as \\ud83d.',
      );
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

export type Arguments = Readonly<Record<string, unknown>> | JsonText;

/** The nesting of the arguments that the service takes. */
const DEEPEST = 99;

/** Throws a TypeError for values that JSON would change without a word, such as NaN and dates. */
export function textOf(given: Arguments, what = 'arguments'): string {
  if (given instanceof JsonText) return given.text;
  const text = written(given, what, 0);
  if (!text.startsWith('{')) throw new TypeError(`${what} must be an object.`);
  return text;
}

/** Reads every member once: what is checked is what is written, even where a getter returns something else each time. */
function written(value: unknown, where: string, depth: number): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value))
    return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'object') {
    if (depth > DEEPEST) throw new TypeError(`${where} is nested too deeply.`);
    if (Array.isArray(value))
      return `[${Array.from(value as unknown[], (each, index) => written(each, `${where}/${String(index)}`, depth + 1)).join(',')}]`;
    const prototype: unknown = Object.getPrototypeOf(value);
    if ((prototype === Object.prototype || prototype === null) && !('toJSON' in value)) {
      const members = Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
        // JSON leaves such members out, as callers expect of optional ones.
        each === undefined
          ? []
          : [`${JSON.stringify(name)}:${written(each, `${where}/${name}`, depth + 1)}`],
      );
      return `{${members.join(',')}}`;
    }
  }
  throw new TypeError(`${where} cannot be written as JSON without a change.`);
}

/**
 * A copy for the tool, which may change it. To read a number that JavaScript would round throws, because the tool would run with
 * another one.
 */
export function argumentsOf(text: string): Record<string, unknown> {
  const plain: unknown = JSON.parse(text);
  return (isExact(plain, text) ? plain : exact(text, 'arguments')) as Record<string, unknown>;
}

function isExact(value: unknown, text: string): boolean {
  try {
    return canonical(written(value, '', 0)) === canonical(text);
  } catch {
    return false;
  }
}

/** Member by member. */
function exact(text: string, where: string): unknown {
  const isList = text.startsWith('[');
  if (!isList && !text.startsWith('{')) return JSON.parse(text);
  const made: object = isList ? [] : {};
  for (const [name, source] of isList ? itemsOf(text).entries() : membersOf(text)) {
    const at = `${where}/${String(name)}`;
    Object.defineProperty(made, name, {
      ...{ enumerable: true, configurable: true },
      ...(isNumber(source) && !isExact(JSON.parse(source), source)
        ? { get: () => unreadable(source, at), set: (value) => replace(made, name, value) }
        : { value: exact(source, at), writable: true }),
    });
  }
  return made;
}

function replace(made: object, name: string | number, value: unknown): void {
  Object.defineProperty(made, name, {
    ...{ enumerable: true, configurable: true, writable: true },
    value,
  });
}

const isNumber = (source: string): boolean => /^[-\d]/.test(source);

function unreadable(source: string, where: string): never {
  throw new TypeError(
    `${where} is ${source.slice(0, 40)}, which JavaScript would round. Read it from argumentsText.`,
  );
}

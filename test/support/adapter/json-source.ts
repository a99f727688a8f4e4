/**
 * A second, independent JSON reader for the tests. It keeps the spelling of every token, so that an
 * response can be compared digit for digit with what was sent. On purpose it shares no code with the
 * service.
 */

/** `source` is the text of the value without the white space between tokens. */
export type JsonNode =
  | {
      readonly kind: 'object';
      readonly source: string;
      readonly members: ReadonlyMap<string, JsonNode>;
    }
  | { readonly kind: 'array'; readonly source: string; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly source: string; readonly value: string }
  | { readonly kind: 'number' | 'boolean' | 'null'; readonly source: string };

export type JsonFault = 'syntax' | 'duplicate-key' | 'nesting';

export class JsonSourceError extends Error {
  readonly fault: JsonFault;

  constructor(fault: JsonFault, message: string) {
    super(message);
    this.name = 'JsonSourceError';
    this.fault = fault;
  }
}

const WHITE_SPACE = ' \t\n\r';
const LITERALS = { true: 'boolean', false: 'boolean', null: 'null' } as const;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class Reader {
  #at = 0;
  readonly #text: string;
  readonly #maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  document(): JsonNode {
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#bad('trailing data');
    return node;
  }

  #bad(message: string): JsonSourceError {
    return new JsonSourceError('syntax', `${message} at offset ${String(this.#at)}`);
  }

  #skip(): void {
    while (this.#at < this.#text.length && WHITE_SPACE.includes(this.#text.charAt(this.#at)))
      this.#at += 1;
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#bad(`expected ${character}`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #value(depth: number): JsonNode {
    this.#skip();
    const next = this.#text[this.#at];
    if (next === '{' || next === '[') {
      if (depth > this.#maxDepth)
        throw new JsonSourceError('nesting', `nested deeper than ${String(this.#maxDepth)}`);
      return next === '{' ? this.#object(depth) : this.#array(depth);
    }
    if (next === '"') return this.#string();
    for (const [word, kind] of Object.entries(LITERALS)) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return { kind, source: word };
      }
    }
    const source = this.#match(NUMBER);
    if (source === undefined) throw this.#bad('no value');
    return { kind: 'number', source };
  }

  #object(depth: number): JsonNode {
    const members = new Map<string, JsonNode>();
    const parts: string[] = [];
    this.#expect('{');
    if (!this.#take('}')) {
      do {
        this.#skip();
        const key = this.#string();
        if (members.has(key.value))
          throw new JsonSourceError('duplicate-key', `key ${key.source} twice in one object`);
        this.#expect(':');
        const member = this.#value(depth + 1);
        members.set(key.value, member);
        parts.push(`${key.source}:${member.source}`);
      } while (this.#take(','));
      this.#expect('}');
    }
    return { kind: 'object', source: `{${parts.join(',')}}`, members };
  }

  #array(depth: number): JsonNode {
    const items: JsonNode[] = [];
    this.#expect('[');
    if (!this.#take(']')) {
      do items.push(this.#value(depth + 1));
      while (this.#take(','));
      this.#expect(']');
    }
    return { kind: 'array', source: `[${items.map((item) => item.source).join(',')}]`, items };
  }

  #string(): JsonNode & { readonly kind: 'string' } {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#bad('expected a string');
    this.#at += 1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || next < ' ') throw this.#bad('unfinished string');
      if (next === '\\') {
        if (this.#match(ESCAPE) === undefined) throw this.#bad('unknown escape');
        continue;
      }
      this.#at += 1;
      if (next === '"') break;
    }
    const source = this.#text.slice(start, this.#at);
    return { kind: 'string', source, value: JSON.parse(source) as string };
  }
}

/** Reads one JSON document. The outermost container is level 0. Throws `JsonSourceError`. */
export function readJson(text: string, maxDepth = 100): JsonNode {
  return new Reader(text, maxDepth).document();
}

/** One spelling per decimal value. An exponent of any size is never expanded. */
export function normalDecimal(source: string): string {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source);
  if (!match) throw new JsonSourceError('syntax', `not a number: ${source}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const shortened = digits.replace(/0+$/, '');
  const power =
    BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - shortened.length);
  return `${sign}${shortened}e${power.toString()}`;
}

/**
 * Equal as JSON values: key order and spelling do not matter, and numbers are compared as exact
 * decimals.
 */
export function sameJson(a: JsonNode, b: JsonNode): boolean {
  if (a.kind === 'object' && b.kind === 'object') {
    const other = b.members;
    return (
      a.members.size === other.size &&
      [...a.members].every(([key, member]) => {
        const counterpart = other.get(key);
        return counterpart !== undefined && sameJson(member, counterpart);
      })
    );
  }
  if (a.kind === 'array' && b.kind === 'array') {
    const other = b.items;
    return (
      a.items.length === other.length &&
      a.items.every((item, index) => {
        const counterpart = other[index];
        return counterpart !== undefined && sameJson(item, counterpart);
      })
    );
  }
  if (a.kind === 'string' && b.kind === 'string') return a.value === b.value;
  if (a.kind === 'number' && b.kind === 'number')
    return normalDecimal(a.source) === normalDecimal(b.source);
  return a.kind === b.kind && a.source === b.source;
}

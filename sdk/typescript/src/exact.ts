/**
 * Reads JSON as source text, so that no digit is lost. `JSON.parse` rounds numbers and takes the last of two
 * equal members, and an adapter must see both.
 */

/** An object of JSON by the source text of its members. */
export type Members = ReadonlyMap<string, string>;

/** The nesting that the service allows, and the request object around it. */
const DEEPEST = 102;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// eslint-disable-next-line no-control-regex -- JSON forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const WHITE_SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null/y;

/** Equal texts for equal values: order, white space and the spelling of numbers and strings make no difference. */
export function canonical(text: string): string {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** The members of an object. Throws a SyntaxError for other values, and where a name stands twice at any depth. */
export function membersOf(text: string): Members {
  const reader = new Reader(text);
  const members = reader.members();
  reader.end();
  return members;
}

/** The items of a list by their source text. */
export function itemsOf(text: string): readonly string[] {
  const reader = new Reader(text);
  const items = reader.items();
  reader.end();
  return items;
}

class Reader {
  #at = 0;

  constructor(private readonly text: string) {}

  members(): Members {
    const found = new Map<string, string>();
    this.#object((name) => found.set(name, this.#source()));
    return found;
  }

  items(): readonly string[] {
    const found: string[] = [];
    this.#list(() => found.push(this.#source()));
    return found;
  }

  #source(): string {
    const start = this.#at;
    this.value(1);
    return this.text.slice(start, this.#at).trim();
  }

  value(depth: number): string {
    if (depth > DEEPEST) this.#fail();
    this.#take(WHITE_SPACE);
    switch (this.text[this.#at]) {
      case '{':
        return this.#canonicalObject(depth);
      case '[':
        return this.#canonicalList(depth);
      case '"':
        return JSON.stringify(this.#string());
      default: {
        const literal = this.#take(LITERAL);
        if (literal !== undefined) return literal;
        return canonicalNumber(this.#take(NUMBER) ?? this.#fail());
      }
    }
  }

  end(): void {
    this.#take(WHITE_SPACE);
    if (this.#at !== this.text.length) this.#fail();
  }

  #canonicalObject(depth: number): string {
    const members: [string, string][] = [];
    this.#object((name) => members.push([name, this.value(depth + 1)]));
    members.sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  #canonicalList(depth: number): string {
    const items: string[] = [];
    this.#list(() => items.push(this.value(depth + 1)));
    return `[${items.join(',')}]`;
  }

  #list(item: () => void): void {
    this.#expect('[');
    if (this.#is(']')) return;
    do item();
    while (this.#is(','));
    this.#expect(']');
  }

  #object(member: (name: string) => void): void {
    const names = new Set<string>();
    this.#expect('{');
    if (this.#is('}')) return;
    do {
      this.#take(WHITE_SPACE);
      const name = this.#string();
      if (names.has(name))
        throw new SyntaxError(`The member ${JSON.stringify(name)} stands twice.`);
      names.add(name);
      this.#expect(':');
      member(name);
    } while (this.#is(','));
    this.#expect('}');
  }

  #string(): string {
    return JSON.parse(this.#take(STRING) ?? this.#fail()) as string;
  }

  #is(character: string): boolean {
    this.#take(WHITE_SPACE);
    if (this.text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#is(character)) this.#fail();
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(): never {
    throw new SyntaxError(`This is no JSON at character ${String(this.#at)}.`);
  }
}

/** More than any number that a service keeps has. */
const LONGEST_EXPONENT = 15;

/**
 * Digits without zeros at the ends, and an exponent: 1, 1.0 and 10e-1 are `1e0`. It takes linear time, because the
 * model writes these numbers.
 */
function canonicalNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', minus = '', exponent = ''] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE](?:\+|(-))?0*(\d*))?$/.exec(text) ?? [];
  if (exponent.length > LONGEST_EXPONENT)
    throw new SyntaxError('The exponent of a number is too long.');
  const digits = `${whole}${fraction}`;
  let start = 0;
  while (digits[start] === '0') start += 1;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  const scale = Number(`${minus}${exponent || '0'}`) - fraction.length + digits.length - end;
  return `${sign}${digits.slice(start, end)}e${String(scale)}`;
}

/**
 * JSON as it was sent: every value is a part of the source text. Digits, escapes, the order of members and duplicates stay as
 * they are, because nothing is parsed into JavaScript values. One pass builds lists of numbers, not objects, so that a document
 * of a megabyte takes some milliseconds. It runs in browsers, too.
 */
import { NONE, readTree, type SourceKind, type Tree } from './source-tree.ts';

/** The inside of a JSON string, without half an escape at its end if it is cut. */
const WHOLE_CHARACTERS = /^(?:[^"\\]|\\(?:u[0-9A-Fa-f]{4}|[^u]))*/;

export class SourceValue {
  readonly #tree: Tree;
  readonly #at: number;

  constructor(tree: Tree, at: number) {
    this.#tree = tree;
    this.#at = at;
  }

  /** For passes over many values, which make no object for each: all values of the text, and which one this is. */
  get tree(): Tree {
    return this.#tree;
  }

  get node(): number {
    return this.#at;
  }

  get kind(): SourceKind {
    return this.#tree.kinds[this.#at] ?? 'null';
  }

  /** Where it begins in the text. No two values begin at one place. */
  get offset(): number {
    return this.#tree.starts[this.#at] ?? 0;
  }

  get #end(): number {
    return this.#tree.ends[this.#at] ?? 0;
  }

  /** How long its source text is. */
  get length(): number {
    return this.#end - this.offset;
  }

  /** The text from its first to its last character. */
  get source(): string {
    return this.#tree.text.slice(this.offset, this.#end);
  }

  /** The text ends in it, or right after it. */
  get isCut(): boolean {
    return this.#tree.isCut && this.#end >= this.#tree.text.length;
  }

  /** Whether one is the other, or a part of it. */
  overlaps(other: SourceValue): boolean {
    return this.isIn(other) || other.isIn(this);
  }

  /** Whether it is the other, or a part of it. */
  isIn(other: SourceValue): boolean {
    return other.offset <= this.offset && this.offset < other.#end;
  }

  /** What of it begins at this place of the text. */
  from(offset: number): SourceValue {
    const { starts } = this.#tree;
    let [low, high] = [this.#at, starts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return new SourceValue(this.#tree, low);
  }

  /** Only of a string: its characters. */
  get characters(): string {
    const source = this.source;
    return this.isCut ? beginningOf(source) : unquoted(source);
  }

  get size(): number {
    return this.#tree.sizes[this.#at] ?? 0;
  }

  /** The members of an object, or the items of a list, which have no key. Reads no further than its reader does. */
  *children(): Generator<SourceChild> {
    const { text, firsts, nexts, keyStarts, keyEnds } = this.#tree;
    for (let at = firsts[this.#at] ?? NONE; at !== NONE; at = nexts[at] ?? NONE) {
      const start = keyStarts[at] ?? NONE;
      const value = new SourceValue(this.#tree, at);
      yield start === NONE ? { value } : { keySource: text.slice(start, keyEnds[at]), value };
    }
  }

  /** Of an object, in the order in which they were sent. `keySource` has the quotes. */
  get members(): SourceMember[] {
    return [...this.children()].flatMap(({ keySource, value }) =>
      keySource === undefined ? [] : [{ key: unquoted(keySource), keySource, value }],
    );
  }

  /** The last member or item. */
  get lastChild(): SourceValue | undefined {
    const last = this.#tree.lasts[this.#at] ?? NONE;
    return last === NONE ? undefined : new SourceValue(this.#tree, last);
  }

  get items(): SourceValue[] {
    if (this.kind !== 'array') return [];
    return [...this.children()].map(({ value }) => value);
  }

  /** RFC 6901. The last one of duplicate members, as programs read them. */
  at(pointer: string): SourceValue | undefined {
    if (pointer === '') return this;
    return pointer
      .slice(1)
      .split('/')
      .reduce<SourceValue | undefined>((value, part) => {
        const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
        if (value?.kind === 'array')
          return /^(?:0|[1-9]\d*)$/.test(key) ? value.items[Number(key)] : undefined;
        return value?.members.findLast((member) => member.key === key)?.value;
      }, this);
  }

  /** As `at`, with all of duplicate members. */
  allAt(pointer: string): readonly SourceValue[] {
    const parts = pointer === '' ? [] : pointer.slice(1).split('/');
    return parts.reduce<readonly SourceValue[]>(
      (values, part) => {
        const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
        return values.flatMap((value) =>
          value.kind === 'array'
            ? (value.at(`/${part}`) ?? [])
            : value.members.flatMap((member) => (member.key === key ? [member.value] : [])),
        );
      },
      [this],
    );
  }

  /** Its RFC 6901 pointer from the outermost value of the document. */
  get pointer(): string {
    const { text, parents, kinds, positions, keyStarts, keyEnds } = this.#tree;
    const tokens: string[] = [];
    for (let at = this.#at; (parents[at] ?? NONE) !== NONE; at = parents[at] ?? NONE) {
      const parent = parents[at] ?? NONE;
      if (kinds[parent] === 'object') {
        tokens.push(
          unquoted(text.slice(keyStarts[at], keyEnds[at]))
            .replaceAll('~', '~0')
            .replaceAll('/', '~1'),
        );
      } else {
        tokens.push(String(positions[at]));
      }
    }
    return tokens
      .reverse()
      .map((token) => `/${token}`)
      .join('');
  }

  /**
   * The outermost members at any depth below this value that are wanted, in the order of the text. `name` is what stands
   * between the quotes, with its escapes.
   */
  find(isWanted: IsWanted): SourceValue[] {
    const { text, kinds, keyStarts, keyEnds, starts, parents } = this.#tree;
    const end = this.#end;
    const found: SourceValue[] = [];
    let skipTo = 0;
    for (let at = this.#at + 1; at < starts.length && (starts[at] ?? end) < end; at += 1) {
      if ((starts[at] ?? 0) < skipTo) continue;
      const from = keyStarts[at] ?? NONE;
      if (from === NONE) continue;
      const name = text.slice(from + 1, (keyEnds[at] ?? 0) - 1);
      const parent = () => new SourceValue(this.#tree, parents[at] ?? 0);
      if (!isWanted(name, kinds[at] ?? 'null', parent)) continue;
      const value = new SourceValue(this.#tree, at);
      found.push(value);
      skipTo = value.#end;
    }
    return found;
  }

  /** All strings that are values, in the order of the text. Of items of a list, with the string right before it. */
  *strings(): Generator<{ readonly value: SourceValue; readonly before?: SourceValue }> {
    const { kinds, keyStarts, starts, parents } = this.#tree;
    const end = this.#end;
    const lasts = new Map<number, number>();
    for (let at = this.#at; at < starts.length && (starts[at] ?? end) < end; at += 1) {
      const parent = parents[at] ?? NONE;
      const isItem = at !== this.#at && (keyStarts[at] ?? NONE) === NONE;
      const before = isItem ? lasts.get(parent) : undefined;
      if (isItem) lasts.set(parent, at);
      if (kinds[at] !== 'string') continue;
      const value = new SourceValue(this.#tree, at);
      if (before === undefined || kinds[before] !== 'string') yield { value };
      else yield { value, before: new SourceValue(this.#tree, before) };
    }
  }

  /** Where the values begin that are no containers, or empty ones. */
  get leaves(): number[] {
    const { starts, firsts } = this.#tree;
    const end = this.#end;
    const offsets: number[] = [];
    for (let at = this.#at; at < starts.length && (starts[at] ?? end) < end; at += 1)
      if (firsts[at] === NONE) offsets.push(starts[at] ?? 0);
    return offsets;
  }
}

/** Whether a member is wanted: by what stands between the quotes of its name, and by the object that it is in. */
export type IsWanted = (name: string, kind: SourceKind, parent: () => SourceValue) => boolean;

export interface SourceChild {
  readonly keySource?: string;
  readonly value: SourceValue;
}

export interface SourceMember {
  readonly key: string;
  readonly keySource: string;
  readonly value: SourceValue;
}

/** The characters between quotes. */
export const unquoted = (source: string): string =>
  source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1);

const QUOTED: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '\n': String.raw`\n`,
  '\t': String.raw`\t`,
};

/** The inside of a JSON string with the only escapes that its reader needs: those of quotes, backslashes, line breaks and tabs. */
export const quotedInside = (characters: string): string =>
  characters.replaceAll(/["\\\n\t]/g, (character) => QUOTED[character] ?? character);

/** A string with every other escape decoded; the source text of anything else. */
export const decodedSource = (source: string): string =>
  source.startsWith('"') && source.includes('\\') ? `"${quotedInside(unquoted(source))}"` : source;

function beginningOf(source: string): string {
  const [whole = ''] = WHOLE_CHARACTERS.exec(source.slice(1)) ?? [];
  return JSON.parse(`"${whole}"`) as string;
}

/** Undefined where the text is no JSON, which the service never sends. */
export function readSource(text: string): SourceValue | undefined {
  const tree = readTree(text);
  return tree && !tree.isCut && tree.starts.length > 0 ? new SourceValue(tree, 0) : undefined;
}

/** The beginning of a document that is JSON. Undefined where no value begins. */
export function readBeginning(text: string): SourceValue | undefined {
  const tree = readTree(text);
  return tree && tree.starts.length > 0 ? new SourceValue(tree, 0) : undefined;
}

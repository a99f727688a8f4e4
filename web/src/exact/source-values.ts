/**
 * JSON as it was sent: every value is a part of the source text. Digits, escapes, the order of
 * members and duplicates stay as they are, because nothing is parsed into JavaScript values.
 */
import { parseTree, type Node, type ParseError } from 'jsonc-parser';

type SourceKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export class SourceValue {
  readonly #text: string;
  readonly #node: Node;

  constructor(text: string, node: Node) {
    this.#text = text;
    this.#node = node;
  }

  get kind(): SourceKind {
    return this.#node.type as SourceKind;
  }

  /** Where it begins in the text: no two values that are no containers begin at one place. */
  get offset(): number {
    return this.#node.offset;
  }

  /** The text from its first to its last character. */
  get source(): string {
    return this.#text.slice(this.#node.offset, this.#node.offset + this.#node.length);
  }

  /** Whether one is the other, or a part of it. */
  overlaps(other: SourceValue): boolean {
    return this.#isIn(other) || other.#isIn(this);
  }

  #isIn({ offset, source }: SourceValue): boolean {
    return offset <= this.offset && this.offset < offset + source.length;
  }

  /** Only of a string: its characters. */
  get characters(): string {
    return String(this.#node.value);
  }

  get size(): number {
    return this.#node.children?.length ?? 0;
  }

  /** Of an object, in the order in which they were sent. `keySource` has the quotes. */
  get members(): {
    readonly key: string;
    readonly keySource: string;
    readonly value: SourceValue;
  }[] {
    if (this.kind !== 'object') return [];
    return (this.#node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key && value
        ? [
            {
              key: String(key.value),
              keySource: this.#text.slice(key.offset, key.offset + key.length),
              value: new SourceValue(this.#text, value),
            },
          ]
        : [],
    );
  }

  get items(): SourceValue[] {
    if (this.kind !== 'array') return [];
    return (this.#node.children ?? []).map((item) => new SourceValue(this.#text, item));
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

  /** Where the values begin that are no containers, or empty ones. */
  get leaves(): number[] {
    const stack = [this.#node];
    const offsets: number[] = [];
    for (let node = stack.pop(); node; node = stack.pop()) {
      const children = node.type === 'property' ? node.children?.slice(1) : node.children;
      if (children && children.length > 0) stack.push(...children);
      else offsets.push(node.offset);
    }
    return offsets;
  }
}

/** Undefined where the text is no JSON, which the service never answers. */
export function readSource(text: string): SourceValue | undefined {
  const errors: ParseError[] = [];
  const node = parseTree(text, errors, { disallowComments: true });
  // The parser repairs what it can. A reader would then see something that is not in the text.
  return node && errors.length === 0 ? new SourceValue(text, node) : undefined;
}

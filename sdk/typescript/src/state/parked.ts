/** Equal calls that park at the same time share one request, in all clients of this process. */

interface Group {
  callers: number;
  /** What the last caller withdraws, each with the token that asked: a caller may have left before it knew the request. */
  readonly paths: Map<string, string>;
}

/** What to withdraw, and with which token. */
export interface Left {
  readonly path: string;
  readonly token: string;
}

const groups = new Map<string, Group>();
/** Requests that people were told of, and when to forget it, as `Date.now()`. */
const told = new Map<string, number>();

/** Of one caller. Without a name, it shares nothing. */
export class Place {
  readonly #name: string | undefined;
  #group: Group | undefined;

  constructor(name?: string) {
    this.#name = name;
    const known = name === undefined ? undefined : groups.get(name);
    this.#group = known ?? { callers: 0, paths: new Map<string, string>() };
    this.#group.callers += 1;
    if (name !== undefined) groups.set(name, this.#group);
  }

  /** What to withdraw, with `left`. Undefined where others keep waiting. Only the first call counts. */
  leave(left?: Left): readonly Left[] | undefined {
    const group = this.#group;
    this.#group = undefined;
    if (!group) return undefined;
    if (left) group.paths.set(left.path, left.token);
    group.callers -= 1;
    if (group.callers > 0) return undefined;
    if (this.#name !== undefined) groups.delete(this.#name);
    return [...group.paths].map(([path, token]) => ({ path, token }));
  }
}

/** Until `end`, as `Date.now()`, only the first caller tells of a request. */
export function isFirstToTell(id: string, end: number): boolean {
  const now = Date.now();
  for (const [each, until] of told) if (until < now) told.delete(each);
  const isFirst = !told.has(id);
  if (isFirst) told.set(id, end);
  return isFirst;
}

export function wasNotTold(id: string): void {
  told.delete(id);
}

/**
 * Secrets inside a text: known by their form, or by a name next to them, as in a query, a form, a header, an option of a command,
 * or JSON that is text. Reads a text from its first to its last character once, however it is made.
 */
import { isNoSecret, mayHaveValue, valueAfter } from './named-values.ts';
import { secretWords, SECRET_ROOTS, wordsOf, type HiddenNames } from './hidden-names.ts';
import { secretShapes, type TextRange } from './secret-shapes.ts';

// cspell:disable
/** What a text must have at least, so that anything in it is hidden. Most have nothing of it. */
const SHAPES = /:\/\/|-----BEGIN|eyJ|_[A-Za-z0-9]{10}|xox|[rs]k[-_]|glpat-|AIza|[Bb]earer |BEARER /;
// cspell:enable
const PLAIN = /^[\0-\u017f\u2010-\u2026]*$/;

/** Names, also `user[password]` and `--password`. */
const NAMES = /[\p{L}\p{M}\p{N}\p{Cf}_.$%@[\]-]+/gu;
const MOST_NAME = 200;

/** Finds the secret parts of texts, in their order. None overlaps another. */
export type FindsSecrets = (text: string) => readonly TextRange[];

export function secretParts(names: HiddenNames): FindsSecrets {
  const isSecret = secretWords(names);
  const root = rootsOf(names);
  return (text) => {
    const shapes = SHAPES.test(text) ? secretShapes(text) : [];
    const isNamed = !PLAIN.test(text) || root?.test(text) === true;
    return merged([...shapes, ...(isNamed ? namedParts(text, { isSecret, root }) : [])]);
  };
}

interface Names {
  readonly isSecret: (name: string) => readonly string[] | undefined;
  readonly root: RegExp | undefined;
}

/** What a name has somewhere that is one of a secret. Undefined where no name is. */
function rootsOf({ defaults, add }: HiddenNames): RegExp | undefined {
  const own = add.flatMap((name) => wordsOf(name).slice(0, 1));
  const roots = [...(defaults ? SECRET_ROOTS : []), ...own];
  return roots.length === 0 ? undefined : new RegExp(roots.join('|'), 'iu');
}

/** In a query, these also name what signs it. */
const SIGNATURE = /^(?:sig|signature|x-amz-signature|x-goog-signature)$/i;

function namedParts(text: string, { isSecret, root }: Names): TextRange[] {
  const found: TextRange[] = [];
  if (!root) return found;
  const names = new RegExp(NAMES);
  for (let match = names.exec(text); match; match = names.exec(text)) {
    const [whole] = match;
    const end = match.index + whole.length;
    if (!mayHaveValue(text, end, whole)) continue;
    const name = whole.length > MOST_NAME ? whole.slice(-MOST_NAME) : whole;
    const start = end - name.length;
    const words =
      PLAIN.test(name) && !root.test(name) ? undefined : isSecret(nameBefore(text, start, name));
    const isSigned = words === undefined && root.test('token') && SIGNATURE.test(name);
    if (words === undefined && !(isSigned && /[?&]/.test(text.charAt(start - 1)))) continue;
    const range = valueAfter(text, { start, end, name, words: words ?? [] });
    if (!range || range.end <= range.start) continue;
    if (isNoSecret(text, range, words ?? [])) continue;
    found.push(range);
    names.lastIndex = range.end;
  }
  return found;
}

/** Of `API key` both words. */
function nameBefore(text: string, start: number, name: string): string {
  if (!/^keys?$/i.test(name) || text.charAt(start - 1) !== ' ') return name;
  const before = /[\p{L}]+ $/u.exec(text.slice(Math.max(0, start - 20), start))?.[0] ?? '';
  return `${before}${name}`;
}

function merged(ranges: readonly TextRange[]): TextRange[] {
  const sorted = ranges.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const kept: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = kept.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else kept.push({ start, end });
  }
  return kept;
}

/** Secrets that are known by their form, wherever they stand in a text: private keys, tokens, and passwords in addresses. */

/** A part of a text: from its first character to the one after its last. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

// cspell:disable
/** Every form begins with a few fixed characters and continues to the end of a run, so that no text takes long. */
const TOKENS = new RegExp(
  [
    // Of this service.
    String.raw`(?<![\w-])wh[a-z]_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}_[\w-]{43,}`,
    // JSON Web Tokens. Of one that is cut, what is there.
    String.raw`(?<![\w-])eyJ[\w-]{6,}(?:\.[\w-]+){1,4}`,
    String.raw`(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{30,})`,
    String.raw`(?<![\w-])xox[a-z]-[\w-]{10,}`,
    String.raw`(?<![\w-])(?:sk|rk)[-_](?:live|test|proj|ant)[-_][\w-]{16,}`,
    String.raw`(?<![\w-])(?:whsec_[\w+/=-]{16,}|AIza[\w-]{35})`,
    String.raw`(?<=(?<!\w)(?:[Bb]earer|BEARER) {1,4})(?=[A-Za-z._~+/=-]*\d)[\w.~+/=-]{16,}`,
  ].join('|'),
  'g',
);
// cspell:enable

const KEY_BEGINS = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = '-----END';

/** All of them, in no order. They may overlap. */
export function secretShapes(text: string): TextRange[] {
  return [...privateKeys(text), ...tokens(text), ...addresses(text)];
}

const tokens = (text: string): TextRange[] =>
  [...text.matchAll(TOKENS)].map(({ 0: token, index }) => ({
    start: index,
    end: index + token.length,
  }));

/** What is between the lines that name a key. Where the last one is missing, all of the rest. */
function privateKeys(text: string): TextRange[] {
  const found: TextRange[] = [];
  let from = 0;
  for (const { 0: line, index } of text.matchAll(KEY_BEGINS)) {
    if (index < from) continue;
    const start = index + line.length;
    const at = text.indexOf(KEY_ENDS, start);
    from = at === -1 ? text.length : at;
    if (from > start) found.push({ start, end: from });
  }
  return found;
}

/** What may be the name of a user, a password and a host. */
const AUTHORITY = /[^\s"'`<>/?#]{0,500}/y;
const WHOLE = /[^\s"'`<>]{0,500}/y;

/** The password in `postgres://user:password@host`. */
function addresses(text: string): TextRange[] {
  const found: TextRange[] = [];
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    const authority = matchAt(AUTHORITY, text, start);
    const colon = authority.indexOf(':');
    if (colon === -1) continue;
    const password = authority.slice(colon + 1);
    const isPort = /^\d*$/.test(password);
    // A password with a slash in it is not allowed, and is written all the same.
    const end = password.includes('@')
      ? authority.lastIndexOf('@')
      : isPort
        ? -1
        : lastSignOf(matchAt(WHOLE, text, start), colon);
    if (end > colon + 1) found.push({ start: start + colon + 1, end: start + end });
  }
  return found;
}

/** The last `@` before the path that follows the first one. */
function lastSignOf(whole: string, from: number): number {
  const first = whole.indexOf('@', from);
  const path = first === -1 ? -1 : whole.slice(first).search(/[/?#]/);
  return path === -1 ? whole.lastIndexOf('@') : whole.lastIndexOf('@', first + path);
}

/** What a sticky expression matches at a place. */
export function matchAt(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? '';
}

/**
 * Finds the ends of tokens in a JSON text. Each function returns `MALFORMED` where the text breaks
 * the grammar of RFC 8259.
 */

export const MALFORMED = -1;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const LOWER_U = 0x75;

/** The first position from `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  for (let next = at; ; next += 1) {
    const code = text.charCodeAt(next);
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB)
      return next;
  }
}

/** The position after the string whose opening quote is at `at`. */
export function endOfString(text: string, at: number): number {
  for (let next = at + 1; ; next += 1) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) return next + 1;
    if (code === BACKSLASH) {
      next = endOfEscape(text, next) - 1;
      if (next < 0) return MALFORMED;
      // NaN, the end of the text, is not `>=` either.
    } else if (!(code >= SPACE)) return MALFORMED;
  }
}

const HEX_ESCAPE = /[0-9A-Fa-f]{4}/y;

function endOfEscape(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === LOWER_U) {
    HEX_ESCAPE.lastIndex = at + 2;
    return HEX_ESCAPE.test(text) ? at + 6 : MALFORMED;
  }
  return at + 1 < text.length && '"\\/bfnrt'.includes(text.charAt(at + 1)) ? at + 2 : MALFORMED;
}

/** The position after the number that begins at `at`. */
export function endOfNumber(text: string, at: number): number {
  let next = text.charCodeAt(at) === MINUS ? at + 1 : at;
  next = text.charCodeAt(next) === ZERO ? next + 1 : endOfDigits(text, next);
  if (next !== MALFORMED && text.charCodeAt(next) === POINT) next = endOfDigits(text, next + 1);
  const mark = text.charCodeAt(next);
  if (next === MALFORMED || (mark !== LOWER_E && mark !== UPPER_E)) return next;
  const sign = text.charCodeAt(next + 1);
  return endOfDigits(text, sign === PLUS || sign === MINUS ? next + 2 : next + 1);
}

/** At least one digit. */
function endOfDigits(text: string, at: number): number {
  let next = at;
  for (;;) {
    const code = text.charCodeAt(next);
    if (!(code >= ZERO && code <= NINE)) break;
    next += 1;
  }
  return next === at ? MALFORMED : next;
}

/**
 * Arithmetic on decimals as JSON writes them, exact for any number of digits. Exponents are never
 * expanded.
 */

/** A decimal without leading or trailing zeros: `digits` × 10^`exponent`; zero is `''` × 10^0. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: bigint;
}

const NUMBER_PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

function decimalOf(source: string): Decimal {
  const parts = NUMBER_PARTS.exec(source);
  if (!parts) throw new TypeError('Not a JSON number.');
  const [, sign, whole = '', fraction = '', exponent] = parts;
  const all = whole + fraction;
  let start = 0;
  while (all[start] === '0') start += 1;
  if (start === all.length) return { negative: false, digits: '', exponent: 0n };
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const shift = all.length - end - fraction.length;
  return {
    negative: sign === '-',
    digits: all.slice(start, end),
    exponent: exponentOf(exponent) + BigInt(shift),
  };
}

function exponentOf(text: string | undefined): bigint {
  if (text === undefined) return 0n;
  return text.startsWith('-')
    ? -BigInt(text.slice(1))
    : BigInt(text.startsWith('+') ? text.slice(1) : text);
}

/**
 * The one text for a decimal's value: digits and exponent, `15e-1` for 1.5, `0` for every zero.
 * Throws for other text.
 */
export function canonicalDecimal(source: string): string {
  const { negative, digits, exponent } = decimalOf(source);
  if (digits === '') return '0';
  return `${negative ? '-' : ''}${digits}${exponent === 0n ? '' : `e${exponent}`}`;
}

/** Orders the values of two decimals. Throws for other text. */
export function compareDecimalTexts(a: string, b: string): -1 | 0 | 1 {
  const left = decimalOf(a);
  const right = decimalOf(b);
  const signs = order(signOf(left), signOf(right));
  if (signs !== 0 || left.digits === '') return signs;
  // Without leading zeros the position of the first digit decides, and only then the digits, read left to right.
  const magnitude = order(firstDigit(left), firstDigit(right)) || order(left.digits, right.digits);
  return left.negative ? order(0, magnitude) : magnitude;
}

const firstDigit = ({ digits, exponent }: Decimal): bigint => exponent + BigInt(digits.length);

function order<T extends number | bigint | string>(a: T, b: T): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function signOf(decimal: Decimal): number {
  if (decimal.digits === '') return 0;
  return decimal.negative ? -1 : 1;
}

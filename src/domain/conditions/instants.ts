/** Instants of RFC 3339 text, compared exactly for any number of fraction digits. */

export interface ExactInstant {
  /** Whole seconds since 1970. */
  readonly seconds: number;
  /** Fraction digits without trailing zeros. */
  readonly fraction: string;
}

const GRAMMAR =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * The instant, or undefined when the text is not an RFC 3339 date-time. A leap second counts as the
 * second after it.
 */
export function parseInstant(text: string): ExactInstant | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [, , , , , , , fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  const inRange =
    hour <= 23 &&
    minute <= 59 &&
    second <= 60 &&
    Number(offsetHour) <= 23 &&
    Number(offsetMinute) <= 59;
  if (!inRange || !isDate({ year, month, day })) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return {
    seconds: date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset * 60,
    fraction: withoutTrailingZeros(fraction),
  };
}

export function compareInstants(a: ExactInstant, b: ExactInstant): -1 | 0 | 1 {
  if (a.seconds !== b.seconds) return a.seconds < b.seconds ? -1 : 1;
  if (a.fraction === b.fraction) return 0;
  return a.fraction < b.fraction ? -1 : 1;
}

function isDate({ year, month, day }: { year: number; month: number; day: number }): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= ([31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** English texts of numbers. */

/** `1,000` with its comma. The library for that loads slowly, and most counts are small. */
export const countText = (value: number): string =>
  value < 1_000 ? String(value) : value.toLocaleString('en');

/** `1 row`, `2 rows`. */
export const someText = (value: number, one: string, many: string): string =>
  `${countText(value)} ${value === 1 ? one : many}`;

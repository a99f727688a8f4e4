/** English texts of numbers. */

/** `1,000` with its comma. `toLocaleString` takes 20 ms to begin. */
export const countText = (value: number): string =>
  String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 row`, `2 rows`. */
export const someText = (value: number, one: string, many: string): string =>
  `${countText(value)} ${value === 1 ? one : many}`;

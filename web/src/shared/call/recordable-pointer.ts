/** Pointers to hidden values, as the service records that someone saw them. */

/** The service takes pointers up to this length. */
const MOST_CHARACTERS = 1_000;

/** A pointer that the service does not take becomes that of what the value is in. */
export function recordable(pointer: string): string {
  let short = pointer;
  while (!isTaken(short)) short = short.slice(0, short.lastIndexOf('/'));
  return short;
}

/** Keys may hold what no text that is stored may: NUL and lone surrogates. */
function isTaken(pointer: string): boolean {
  return (
    pointer.length <= MOST_CHARACTERS && !pointer.includes('\0') && !/\p{Surrogate}/u.test(pointer)
  );
}

/** How much time is left to decide, in the words of a message: `27 min left`. */
const MINUTE_MS = 60_000;
const UNITS = [
  ['d', 24 * 60],
  ['h', 60],
  ['min', 1],
] as const;

/** The two largest units at most, rounded down. */
export function timeLeft(deadline: Date, now: Date): string {
  let left = Math.floor((deadline.getTime() - now.getTime()) / MINUTE_MS);
  if (left < 0) return 'no time left';
  if (left === 0) return 'less than 1 min left';
  const first = UNITS.findIndex(([, minutes]) => left >= minutes);
  const parts: string[] = [];
  for (const [name, minutes] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / minutes);
    if (count > 0) parts.push(`${count} ${name}`);
    left -= count * minutes;
  }
  return `${parts.join(' ')} left`;
}

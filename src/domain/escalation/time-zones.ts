/**
 * The canonical spelling of time-zone names. Runtimes accept any case, and resolve an alias when
 * asked for its spelling.
 */
import { IANAZone } from 'luxon';

/** Names in the tz database to which the rules of `spelled` do not apply. */
const EXCEPTIONS = new Map(
  [
    ...['Cuba', 'Egypt', 'Eire', 'GB-Eire', 'Greenwich', 'Hongkong', 'Iceland', 'Iran', 'Israel'],
    ...['Jamaica', 'Japan', 'Kwajalein', 'Libya', 'Navajo', 'Poland', 'Portugal', 'Singapore'],
    ...['Turkey', 'Universal', 'Zulu', 'America/Argentina/ComodRivadavia', 'America/Knox_IN'],
    ...['Australia/ACT', 'Australia/LHI', 'Australia/NSW', 'Brazil/DeNoronha'],
    ...['Chile/EasterIsland', 'Etc/GMT', 'Etc/GMT+0', 'Etc/GMT-0', 'Etc/GMT0', 'Etc/UCT'],
    ...['Etc/UTC', 'Mexico/BajaNorte', 'Mexico/BajaSur', 'US/Alaska', 'US/Aleutian', 'US/Arizona'],
    ...['US/Central', 'US/East-Indiana', 'US/Eastern', 'US/Hawaii', 'US/Indiana-Starke'],
    ...['US/Michigan', 'US/Mountain', 'US/Pacific', 'US/Samoa'],
  ].map((name) => [name.toLowerCase(), name] as const),
);

/**
 * `europe/berlin` → `Europe/Berlin`; undefined for anything but an IANA name. An alias is kept:
 * `asia/kolkata` → `Asia/Kolkata`.
 */
export function canonicalTimeZone(name: string): string | undefined {
  // Newer runtimes also accept offsets such as `+02:00` as zones.
  if (!/^[a-z]/i.test(name) || !IANAZone.isValidZone(name)) return undefined;
  const wanted = name.toLowerCase();
  const resolved = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  if (resolved.toLowerCase() === wanted) return resolved;
  return EXCEPTIONS.get(wanted) ?? spelled(wanted);
}

/** An abbreviation in capitals, else each word with a capital: `EST5EDT`, `America/Port-Au-Prince`. */
function spelled(name: string): string {
  if (!name.includes('/')) return name.toUpperCase();
  return name.replaceAll(/(^|[/_-])[a-z]/g, (start) => start.toUpperCase());
}

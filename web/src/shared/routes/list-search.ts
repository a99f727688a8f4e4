/** Reads the addresses of lists, so that what is unknown or too long never reaches the API. */
import { MOST_TYPED } from '../browser/most-typed.ts';

/** What the address of a list says. Every screen loads this, so it is short. */
export interface ListSearch<Show extends string> {
  readonly q?: string;
  /** Another part of the list than the one that it shows without this. */
  readonly show?: Show;
}

/** What someone typed, as the API takes it: of a certain length, and without half a character at its end. */
export const typed = (given: unknown, most = MOST_TYPED): string | undefined =>
  (typeof given === 'string' && given.replaceAll('\0', '').slice(0, most).toWellFormed()) ||
  undefined;

export const oneOf = <const Value extends string>(
  given: unknown,
  values: readonly Value[],
): Value | undefined => values.find((each) => each === given);

/** What was read of an address. A name with an unknown value stays, as undefined: the router keeps names that are not returned. */
export const known = <Search extends object>(
  read: { readonly [Name in keyof Search]: Search[Name] | undefined },
  given: Readonly<Record<string, unknown>>,
): Search =>
  Object.fromEntries(
    Object.entries(read).filter(([name, value]) => value !== undefined || name in given),
  ) as Search;

export const listSearch =
  <const Show extends string>(...shows: readonly Show[]) =>
  (given: Readonly<Record<string, unknown>>): ListSearch<Show> =>
    known({ q: typed(given['q']), show: oneOf(given['show'], shows) }, given);

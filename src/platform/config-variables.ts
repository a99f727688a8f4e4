/** The kinds of environment variables there are, and how each is read. */

/** What runs decides which variables are needed: `start` brings its own servers, the others do not. */
export type Role = 'start' | 'api' | 'worker' | 'migrate' | 'bootstrap' | 'rotate-secrets';

export interface Variable<T> {
  readonly name: string;
  readonly type: string;
  /** As one would write it into the environment. */
  readonly default?: string;
  readonly meaning: string;
  /** Completes "… must be". */
  readonly allowed: string;
  readonly requiredBy?: readonly Role[];
  /** Undefined: not allowed. */
  readonly parse: (text: string) => T | undefined;
}

export type Description = Pick<Variable<unknown>, 'name' | 'meaning' | 'requiredBy'>;
export type WithDefault<T> = Variable<T> & { readonly default: string };

const DURATION_UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

export function text(description: Description, allowed = 'any text'): Variable<string> {
  return { ...description, type: 'text', allowed, parse: (value) => value };
}

export function integer(
  description: Description & { readonly default: string },
  least: number,
  greatest: number,
): WithDefault<number> {
  const parse = (value: string): number | undefined => {
    const number = /^(0|[1-9][0-9]*)$/.test(value) ? Number(value) : NaN;
    return number >= least && number <= greatest ? number : undefined;
  };
  return {
    ...description,
    type: 'integer',
    allowed: `a whole number from ${least} to ${greatest}`,
    parse,
  };
}

/** In milliseconds. */
export function duration(
  description: Description & { readonly default: string },
  leastMs: number,
  greatest: string,
): WithDefault<number> {
  return { ...optionalDuration(description, leastMs, greatest), default: description.default };
}

/** In milliseconds; undefined when it is not set. */
export function optionalDuration(
  description: Description,
  leastMs: number,
  greatest: string,
): Variable<number> {
  const read = (value: string): number => {
    const match = /^([1-9][0-9]*)([smh])$/.exec(value);
    return match ? Number(match[1]) * (DURATION_UNITS_MS[match[2] ?? ''] ?? NaN) : NaN;
  };
  const parse = (value: string): number | undefined => {
    const ms = read(value);
    return ms >= leastMs && ms <= read(greatest) ? ms : undefined;
  };
  const allowed = `a duration such as 30s, 15m or 24h, from ${leastMs / 1_000}s to ${greatest}`;
  return { ...description, type: 'duration', allowed, parse };
}

export function choice<const T extends string>(
  description: Description & { readonly default: string },
  values: readonly T[],
): WithDefault<T> {
  const parse = (value: string): T | undefined => values.find((candidate) => candidate === value);
  return { ...description, type: 'choice', allowed: `one of ${values.join(', ')}`, parse };
}

export function databaseUrl(value: string): string | undefined {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol)
    ? value
    : undefined;
}

export function mailServerUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, hostname } = new URL(value);
  return (protocol === 'smtp:' || protocol === 'smtps:') && hostname !== '' ? value : undefined;
}

export function publicUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, origin, pathname, search, hash, username } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (search !== '' || hash !== '' || username !== '') return undefined;
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** An https URL without credentials, query or fragment, as an identity provider names itself; http on this machine only. */
export function issuer(value: string): string | undefined {
  if (publicUrl(value) === undefined) return undefined;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
    ? value
    : undefined;
}

/** The part of an email behind the `@`. */
export function isEmailDomain(value: string): boolean {
  return (
    value.length <= 253 &&
    /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(
      value,
    )
  );
}

export function hostAndPort(value: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):([1-9][0-9]{0,4})$/.exec(value);
  return match && Number(match[2]) <= 65_535 ? value : undefined;
}

/** Words between commas. */
export function list(
  description: Description,
  allowed: string,
  fits: (word: string) => boolean,
): Variable<readonly string[]> {
  const parse = (value: string): readonly string[] | undefined => {
    const words = value.split(',').map((word) => word.trim());
    return words.every((word) => word !== '' && fits(word)) ? words : undefined;
  };
  return { ...description, type: 'list', allowed, parse };
}

/** 32 random bytes in base64, with or without padding. */
export function isSecretsKey(value: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(value);
}

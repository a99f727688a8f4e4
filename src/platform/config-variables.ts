/** The kinds of environment variables: each is a zod schema from text to its value, with its type and limits as metadata. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { hasReachableHost, isHostName } from './network/host-names.ts';
import { openSigningKey } from './crypto/signing-key.ts';

/** What runs decides which variables are needed: `start` brings its own servers, the others do not. */
export type Role =
  | 'start'
  | 'api'
  | 'worker'
  | 'migrate'
  | 'bootstrap'
  | 'enroll'
  | 'rotate-secrets'
  | 'recover-owner'
  | 'export-audit'
  | 'verify-audit';

/** The metadata of a variable. The kind gives `type` and `allowed`, the variable the rest. */
export interface VariableMeta {
  readonly type?: string;
  /** Completes "… must be". Missing where any text will do. */
  readonly allowed?: string;
  readonly description?: string | undefined;
  readonly requiredBy?: readonly Role[];
}

const DURATION_UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** A kind that `parse` reads; undefined means that the text is not allowed. */
function parsed<T>(meta: VariableMeta, parse: (text: string) => T | undefined) {
  return z
    .string()
    .transform((value, context): T => {
      const result = parse(value);
      if (result !== undefined) return result;
      context.addIssue({ code: 'custom' });
      return z.NEVER;
    })
    .meta({ ...meta });
}

const accepted = (meta: VariableMeta, fits: (text: string) => boolean) =>
  parsed(meta, (value) => (fits(value) ? value : undefined));

export const text = () => z.string().meta({ type: 'text' });

export const secret = () => z.string().meta({ type: 'secret' });

export const matching = (pattern: RegExp, allowed: string) =>
  accepted({ type: 'text', allowed }, (value) => pattern.test(value));

/** An absolute path, however it is written. */
export const path = () => parsed({ type: 'path' }, (value) => resolve(value));

export const integer = (least: number, greatest: number) =>
  parsed(
    { type: 'integer', allowed: `a whole number from ${least} to ${greatest}` },
    (value): number | undefined => {
      const number = /^(0|[1-9][0-9]*)$/.test(value) ? Number(value) : NaN;
      return number >= least && number <= greatest ? number : undefined;
    },
  );

/** In milliseconds. */
export const duration = (least: string, greatest: string) =>
  parsed(
    {
      type: 'duration',
      allowed: `a duration such as 30s, 15m or 24h, from ${least} to ${greatest}`,
    },
    (value): number | undefined => {
      const ms = milliseconds(value);
      return ms >= milliseconds(least) && ms <= milliseconds(greatest) ? ms : undefined;
    },
  );

function milliseconds(value: string): number {
  const match = /^([1-9][0-9]*)([smh])$/.exec(value);
  return match ? Number(match[1]) * (DURATION_UNITS_MS[match[2] ?? ''] ?? NaN) : NaN;
}

export const choice = <const T extends string>(...values: readonly T[]) =>
  z.enum(values).meta({ type: 'choice', allowed: `one of ${values.join(', ')}` });

export const boolean = () =>
  z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .meta({ type: 'boolean', allowed: 'true or false' });

/** The name of a language model, as its provider spells it. */
export function isModelName(value: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$/.test(value);
}

export interface ModelPrice {
  readonly input: string;
  readonly output: string;
  readonly currency: string;
}

const PRICE = /^(\S+)=(\d{1,9}(?:\.\d{1,6})?)\/(\d{1,9}(?:\.\d{1,6})?) ([A-Z]{3})$/;

/** Prices between commas, by model. */
export const prices = () =>
  parsed(
    {
      type: 'list',
      allowed:
        '`MODEL=INPUT/OUTPUT CURRENCY` between commas, such as `gpt-5-mini=0.25/2.00 USD`, each model once',
    },
    (value): ReadonlyMap<string, ModelPrice> | undefined => {
      const words = value.split(',').map((word) => PRICE.exec(word.trim()));
      const found = new Map<string, ModelPrice>();
      for (const word of words) {
        const [, model = '', input = '', output = '', currency = ''] = word ?? [];
        if (!isModelName(model)) return undefined;
        found.set(model, { input, output, currency });
      }
      return found.size === words.length ? found : undefined;
    },
  );

/** Words between commas. */
export const list = (meta: VariableMeta, fits: (word: string) => boolean) =>
  parsed({ type: 'list', ...meta }, (value): readonly string[] | undefined => {
    const words = value.split(',').map((word) => word.trim());
    return words.every((word) => word !== '' && fits(word)) ? words : undefined;
  });

export const databaseUrl = () =>
  accepted(
    { type: 'URL', allowed: 'a URL such as postgres://user:password@host:5432/database' },
    (value) => {
      if (!URL.canParse(value)) return false;
      const url = new URL(value);
      // A socket has no host, or a folder in place of it.
      const isSocket = url.hostname === '' || /^%2f/i.test(url.hostname);
      const { port } = url;
      return (
        ['postgres:', 'postgresql:'].includes(url.protocol) &&
        (isSocket ? port !== '0' : hasReachableHost(url)) &&
        url.searchParams.get('port') !== '0'
      );
    },
  );

export const mailServerUrl = () =>
  accepted(
    { type: 'URL', allowed: 'a URL such as smtps://user:password@mail.example:465' },
    (value) => {
      if (!URL.canParse(value)) return false;
      const url = new URL(value);
      return ['smtp:', 'smtps:'].includes(url.protocol) && hasReachableHost(url);
    },
  );

/** An origin: pages, cookies and the paths of the API belong to all of it. No trailing slash. */
export const publicUrl = () =>
  parsed(
    {
      type: 'URL',
      allowed:
        'an http or https URL with a valid host and port, without a path, credentials, query or fragment',
    },
    (value) => {
      const url = plainUrl(value);
      return url !== undefined && new URL(url).pathname === '/' ? url : undefined;
    },
  );

function plainUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  const { protocol, origin, pathname, search, hash, username } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (!hasReachableHost(url)) return undefined;
  if (search !== '' || hash !== '' || username !== '') return undefined;
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** As an identity provider names itself: https, or http on this machine. */
export const issuer = () =>
  accepted(
    {
      type: 'URL',
      allowed:
        'an https URL with a valid host and port, without query or fragment, exactly as the provider names itself; http only on this machine',
    },
    isSecureUrl,
  );

/** A base URL that ends in one slash: https, or http on this machine. */
export const baseUrl = () =>
  parsed(
    {
      type: 'URL',
      allowed:
        'an https URL with a valid host and port, without query or fragment; http only on this machine',
    },
    (value) => (isSecureUrl(value) ? value.replace(/\/*$/, '/') : undefined),
  );

function isSecureUrl(value: string): boolean {
  if (plainUrl(value) === undefined) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export const hostAndPort = () =>
  accepted(
    { type: 'host:port', allowed: 'a host and a port, such as temporal.example:7233' },
    (value) => {
      const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):([1-9][0-9]{0,4})$/.exec(value);
      return match !== null && isHostName(match[1] ?? '') && Number(match[2]) <= 65_535;
    },
  );

/** One address, alone or as `Name <address>`. */
export const sender = () =>
  accepted(
    {
      type: 'text',
      allowed: 'an address such as countersign@example.com, or `Name <address>`',
    },
    (value) => {
      const match = /^[^\r\n<>]*<?[^\s<>@]+@([^\s<>@]+)>?$/.exec(value);
      return match !== null && isHostName(match[1] ?? '');
    },
  );

export const secretsKey = () =>
  accepted(
    { type: 'secret', allowed: '32 random bytes in base64 (`openssl rand -base64 32`)' },
    isSecretsKey,
  );

export const signingKey = () =>
  accepted(
    {
      type: 'secret',
      allowed: 'an Ed25519 key in base64: 32 random bytes (`openssl rand -base64 32`), or PKCS#8',
    },
    (value) => openSigningKey(value) !== undefined,
  );

/** 32 random bytes in base64, with or without padding. */
export function isSecretsKey(value: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(value);
}

/** The part of an email after the `@`. */
export function isEmailDomain(value: string): boolean {
  return (
    value.length <= 253 &&
    /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(
      value,
    )
  );
}

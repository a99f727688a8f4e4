/**
 * Guards calls to addresses that users enter. Only https to the public internet is allowed, to the
 * address that was checked, without redirects or proxies. Time and size are limited. A deployment
 * may allow further ranges.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, request } from 'undici';

export type EgressProblem =
  'not_a_url' | 'scheme' | 'userinfo' | 'fragment' | 'port' | 'host' | 'unresolved' | 'address';

/**
 * Calls to this destination are not allowed. The message names the problem, never the addresses of
 * the name.
 */
export class EgressDenied extends Error {
  override readonly name = 'EgressDenied';
  readonly problem: EgressProblem;

  constructor(problem: EgressProblem) {
    super(SENTENCES[problem]);
    this.problem = problem;
  }
}

const SENTENCES: Readonly<Record<EgressProblem, string>> = {
  not_a_url: 'is not an absolute URL',
  scheme: 'must be an https URL',
  userinfo: 'must not carry a user name or a password',
  fragment: 'must not carry a fragment',
  port: 'must not name port 0, at which nothing can listen',
  host: 'must not name a host with a label that ends in a hyphen',
  unresolved: 'names a host that cannot be found',
  address: 'leads to an address that is not public',
};

/** All addresses of a name, as `dns.lookup` with `all` returns them. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface EgressOptions {
  /** Ranges such as `10.1.0.0/16` that are allowed although they are not public, also over http. */
  readonly allow: readonly string[];
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
}

export interface EgressRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** A longer response body is an error. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The response exceeds the limit; its status is known. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  readonly status: number;

  constructor(status: number, most: number) {
    super(`the answer is larger than ${most} bytes`);
    this.status = status;
  }
}

/** The call took longer than allowed. */
export class EgressTimeout extends Error {
  override readonly name = 'EgressTimeout';
}

export interface Egress {
  /** Throws EgressDenied if a call to the URL would be denied now. Sends nothing. */
  check(url: string): Promise<void>;
  /**
   * Any status is an answer, even a redirect. Throws EgressDenied, EgressTimeout, AnswerTooLarge,
   * or the connection's error.
   */
  post(url: string, request: EgressRequest): Promise<EgressAnswer>;
}

const CHECK_MS = 5_000;

export function openEgress({ allow, resolve = resolveAll }: EgressOptions): Egress {
  const ranges = allow.map((text) => parseRange(text));
  const admit = async (text: string): Promise<Admitted> => {
    const url = parseDestination(text);
    const addresses = await addressesOf(url, resolve);
    const isAllowed = (address: string): boolean => ranges.some((range) => isIn(address, range));
    if (addresses.every(({ address }) => isAllowed(address))) return { url, addresses };
    if (url.protocol !== 'https:') throw new EgressDenied('scheme');
    if (!addresses.every(({ address }) => isPublic(address) || isAllowed(address)))
      throw new EgressDenied('address');
    return { url, addresses };
  };
  return {
    check: async (url) => {
      await within(AbortSignal.timeout(CHECK_MS), () => admit(url));
    },
    post: async (url, wanted) => {
      const timeout = AbortSignal.timeout(wanted.timeoutMs);
      const signal = wanted.signal ? AbortSignal.any([timeout, wanted.signal]) : timeout;
      try {
        return await within(
          signal,
          async () => await send(await admit(url), { ...wanted, signal }),
        );
      } catch (error) {
        if (timeout.aborted) throw new EgressTimeout(`no answer within ${wanted.timeoutMs} ms`);
        throw error;
      }
    },
  };
}

interface Admitted {
  readonly url: URL;
  /** All of them passed the check; the connection uses one of them. */
  readonly addresses: readonly LookupAddress[];
}

function parseDestination(text: string): URL {
  if (!URL.canParse(text)) throw new EgressDenied('not_a_url');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new EgressDenied('scheme');
  if (url.username !== '' || url.password !== '') throw new EgressDenied('userinfo');
  if (url.hash !== '' || text.includes('#')) throw new EgressDenied('fragment');
  if (url.port === '0') throw new EgressDenied('port');
  if (url.hostname.split('.').some((label) => label.endsWith('-'))) throw new EgressDenied('host');
  return url;
}

async function addressesOf({ hostname }: URL, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new EgressDenied('unresolved');
  return addresses;
}

async function resolveAll(hostname: string): Promise<readonly LookupAddress[]> {
  return await lookup(hostname, { all: true });
}

/** Allocated global unicast IPv6; every other range has a special purpose. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** A public address: not private, local, shared, embedded, documentation, multicast or reserved. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6);
}

/** Accepts an address, or a range such as 10.0.0.0/8. */
export function isRange(text: string): boolean {
  try {
    parseRange(text);
    return true;
  } catch {
    return false;
  }
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Throws on anything else than a range such as `10.0.0.0/8`. A single address is a range of one.
 */
function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isIn(address: string, [network, bits]: Range): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
}

/** Resolves with the work's result, or rejects with the signal's reason if that comes first. */
async function within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const aborted = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', aborted, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', aborted);
      });
  });
}

/**
 * Each call opens its own connection, because a kept one would outlive the check of its address.
 */
async function send(
  { url, addresses }: Admitted,
  wanted: EgressRequest & { readonly signal: AbortSignal },
): Promise<EgressAnswer> {
  const agent = new Agent({
    connect: {
      lookup: (_hostname, { all }, callback) => {
        const [first] = addresses;
        if (all) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
    },
    headersTimeout: wanted.timeoutMs,
    bodyTimeout: wanted.timeoutMs,
  });
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: wanted.headers,
      body: wanted.body,
      signal: wanted.signal,
    });
    return {
      status: statusCode,
      headers,
      body: await readAtMost(body, wanted.maxBytes, statusCode),
    };
  } finally {
    await agent.destroy();
  }
}

async function readAtMost(
  body: AsyncIterable<Buffer>,
  most: number,
  status: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new AnswerTooLarge(status, most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

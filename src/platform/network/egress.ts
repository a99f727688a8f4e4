/**
 * Guards calls to addresses that users enter. Only https to the public internet is allowed, to the
 * address that was checked, without redirects or proxies. Time and size are limited. A deployment
 * may allow further ranges.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { unlessAborted } from '../abort.ts';
import { checkedAgents, type CheckDestination } from './checked-agents.ts';
import { callHttp } from './http-call.ts';

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
  readonly body: string | Buffer;
  readonly timeoutMs: number;
  /** A longer response body is an error. With 0, no body is read, whatever its length. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** What `addressesOf` has just returned: the call leads to one of these, whatever the name leads to by now. */
  readonly addresses?: readonly string[];
}

export interface EgressResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The response exceeds the limit; its status and headers are known. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly status: number;
  readonly headers: EgressResponse['headers'];

  constructor({ status, headers }: Omit<EgressResponse, 'body'>, most: number) {
    super(`the response is larger than ${most} bytes`);
    this.status = status;
    this.headers = headers;
  }
}

/** The call took longer than allowed. */
export class EgressTimeout extends Error {
  override readonly name = 'EgressTimeout';
}

export interface Egress {
  /** Throws EgressDenied if a call to the URL would be denied now. Sends nothing. */
  check(url: string): Promise<void>;
  /** The same, and returns the addresses to which the call would lead, at most sixteen. */
  addressesOf(url: string): Promise<readonly string[]>;
  /**
   * Any status is a response, even a redirect. Throws EgressDenied, EgressTimeout, ResponseTooLarge,
   * or the connection's error.
   */
  post(url: string, request: EgressRequest): Promise<EgressResponse>;
  /** Throws what `post` throws. */
  get(url: string, request: Omit<EgressRequest, 'body'>): Promise<EgressResponse>;
  /** Ends the connections, and calls under way. */
  close(): void;
}

const CHECK_MS = 5_000;
/** The first addresses of a name: calls lead to no others, and limits of addresses count these. */
const MOST_ADDRESSES = 16;

export function openEgress({ allow, resolve = resolveAll }: EgressOptions): Egress {
  const checkDestination = destinationCheck(allow, resolve);
  const agents = checkedAgents(checkDestination);
  const allowedAddressesOf = async (url: string): Promise<readonly string[]> => {
    const destination = parseDestination(url);
    const signal = AbortSignal.timeout(CHECK_MS);
    const addresses = await unlessAborted(signal, () => checkDestination(destination));
    return addresses.map(({ address }) => address);
  };
  const send = async (
    method: 'GET' | 'POST',
    url: string,
    {
      timeoutMs,
      signal,
      addresses,
      ...wanted
    }: Omit<EgressRequest, 'body'> & Partial<EgressRequest>,
  ): Promise<EgressResponse> => {
    const destination = parseDestination(url);
    const ends = new AbortController();
    const timeout = setTimeout(() => {
      ends.abort(new EgressTimeout(`no response within ${timeoutMs} ms`));
    }, timeoutMs);
    const giveUp = (): void => {
      ends.abort(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    const agent = agents.of(destination);
    const checked = addresses?.map((address) => ({ address, family: isIP(address) }));
    const call = { ...wanted, method, signal: ends.signal, agent, checked };
    try {
      const { isCut, ...response } = await callHttp(destination, call);
      if (isCut) throw new ResponseTooLarge(response, wanted.maxBytes);
      return response;
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', giveUp);
    }
  };
  return {
    check: async (url) => {
      await allowedAddressesOf(url);
    },
    addressesOf: allowedAddressesOf,
    post: async (url, request) => await send('POST', url, request),
    get: async (url, request) => await send('GET', url, request),
    close: () => {
      agents.close();
    },
  };
}

type Destination = Parameters<CheckDestination>[0];

/** Throws EgressDenied unless all addresses of a destination are allowed. */
function destinationCheck(allow: readonly string[], resolve: Resolve): CheckDestination {
  const ranges = allow.map((text) => parseRange(text));
  const isAllowed = (address: string): boolean => ranges.some((range) => isIn(address, range));
  return async (destination) => {
    const addresses = await addressesOf(destination, resolve);
    if (addresses.every(({ address }) => isAllowed(address))) return addresses;
    if (destination.protocol !== 'https:') throw new EgressDenied('scheme');
    if (!addresses.every(({ address }) => isPublic(address) || isAllowed(address)))
      throw new EgressDenied('address');
    return addresses;
  };
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

async function addressesOf(
  { hostname }: Destination,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = (await resolve(host).catch(() => [])).slice(0, MOST_ADDRESSES);
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

/** What `allow` takes: an address, or a range such as 10.0.0.0/8. */
export function isEgressRange(text: string): boolean {
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

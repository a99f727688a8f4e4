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
import { checkedAgents, type Admit } from './checked-agents.ts';
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
  /** Ends the connections, and calls under way. */
  close(): void;
}

const CHECK_MS = 5_000;

export function openEgress({ allow, resolve = resolveAll }: EgressOptions): Egress {
  const admit = openGate(allow, resolve);
  const agents = checkedAgents(admit);
  return {
    check: async (url) => {
      const destination = parseDestination(url);
      await unlessAborted(AbortSignal.timeout(CHECK_MS), () => admit(destination));
    },
    post: async (url, { timeoutMs, signal, ...wanted }) => {
      const destination = parseDestination(url);
      const ends = new AbortController();
      const timeout = setTimeout(() => {
        ends.abort(new EgressTimeout(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      const giveUp = (): void => {
        ends.abort(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted) giveUp();
      const agent = agents.of(destination);
      const call = { ...wanted, method: 'POST', signal: ends.signal, agent };
      try {
        const { isCut, ...answer } = await callHttp(destination, call);
        if (isCut) throw new AnswerTooLarge(answer.status, wanted.maxBytes);
        return answer;
      } finally {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', giveUp);
      }
    },
    close: () => {
      agents.close();
    },
  };
}

type Destination = Parameters<Admit>[0];

/** Throws EgressDenied unless all addresses of a destination are allowed. */
function openGate(allow: readonly string[], resolve: Resolve): Admit {
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

/**
 * Guards calls to addresses that users enter. Only https to the public internet is allowed, to the
 * address that was checked, without redirects or proxies. Time and size are limited. A deployment
 * may allow further ranges.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { unlessAborted } from '../abort.ts';

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
  close(): Promise<void>;
}

const CHECK_MS = 5_000;
const CONNECT_MS = 10_000;
/**
 * How long a connection without a call is kept for the next one. Receivers keep theirs for longer,
 * so a call rarely meets a connection that its receiver is just closing.
 */
const KEPT_MS = 1_000;
/** After this time a connection is not used again: the check of its address is never older. */
const OLDEST_MS = 10_000;

export function openEgress({ allow, resolve = resolveAll }: EgressOptions): Egress {
  const admit = openGate(allow, resolve);
  const connections = openConnections(admit);
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
      try {
        return await unlessAborted(ends.signal, () =>
          connections.post(destination, { ...wanted, signal: ends.signal }),
        );
      } finally {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', giveUp);
      }
    },
    close: () => connections.close(),
  };
}

type Destination = Pick<URL, 'protocol' | 'hostname'>;

/** Returns the addresses of a destination, or throws EgressDenied unless all of them are allowed. */
type Gate = (destination: Destination) => Promise<readonly LookupAddress[]>;

function openGate(allow: readonly string[], resolve: Resolve): Gate {
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

type Call = Omit<EgressRequest, 'timeoutMs' | 'signal'> & { readonly signal: AbortSignal };

interface Connections {
  post(url: URL, call: Call): Promise<EgressAnswer>;
  close(): Promise<void>;
}

/**
 * Each connection is checked when it is opened, and leads to an address that passed this check,
 * whatever the name leads to later. Calls to one origin take turns on it. There are as many
 * connections as calls under way, so a slow call delays no other.
 */
function openConnections(admit: Gate): Connections {
  const connect = checkedConnector(admit);
  const kept = new Agent({ connect, keepAliveTimeout: KEPT_MS, clientTtl: OLDEST_MS });
  return {
    post: async (url, call) => await send(kept, url, call),
    close: () => kept.destroy(),
  };
}

function checkedConnector(admit: Gate): buildConnector.connector {
  return (options, callback) => {
    unlessAborted(AbortSignal.timeout(CONNECT_MS), () => admit(options)).then(
      (addresses) => {
        // A connector of its own, so that no certificate is accepted because of an earlier one.
        buildConnector({ lookup: only(addresses), timeout: CONNECT_MS })(options, callback);
      },
      (error: unknown) => {
        callback(error as Error, null);
      },
    );
  };
}

/** Resolves every name to these addresses. */
function only(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

async function send(
  dispatcher: Dispatcher,
  url: URL,
  { headers, body, maxBytes, signal }: Call,
): Promise<EgressAnswer> {
  const answer = await request(url, { dispatcher, method: 'POST', headers, body, signal });
  const { statusCode: status } = answer;
  return { status, headers: answer.headers, body: await readAtMost(answer.body, maxBytes, status) };
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

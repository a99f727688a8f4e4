/** Connections that are checked when they are opened, and kept for a moment. */
import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { unlessAborted } from '../abort.ts';
import { CONNECT_MS } from './http-call.ts';

/** Returns the addresses that a connection may lead to, or throws. */
export type CheckDestination = (
  destination: Pick<URL, 'protocol' | 'hostname'>,
) => Promise<readonly LookupAddress[]>;

export interface CheckedAgents {
  of(url: Pick<URL, 'protocol'>): HttpAgent;
  /** Ends the connections, and calls under way. */
  close(): void;
}

/**
 * How long a connection without a call is kept for the next one. Receivers keep theirs for longer,
 * so a call rarely meets a connection that its receiver is just closing.
 */
const KEPT_MS = 1_000;
/** After this time a connection is not used again: the check of its address is never older. */
const OLDEST_MS = 10_000;

/**
 * Each connection leads to an address that passed the check, whatever the name leads to later.
 * Calls to one origin take turns on it. There are as many connections as calls under way, so a slow
 * call delays no other.
 */
export function checkedAgents(checkDestination: CheckDestination): CheckedAgents {
  const closed = new AbortController();
  const options = { keepAlive: true, timeout: KEPT_MS };
  const [http, https] = [new HttpAgent(options), new HttpsAgent(options)];
  check(http, { protocol: 'http:', checkDestination, closed: closed.signal });
  check(https, { protocol: 'https:', checkDestination, closed: closed.signal });
  return {
    of: ({ protocol }) => (protocol === 'https:' ? https : http),
    close: () => {
      closed.abort(new Error('the connections are closed'));
      http.destroy();
      https.destroy();
    },
  };
}

interface Terms {
  readonly protocol: 'http:' | 'https:';
  readonly checkDestination: CheckDestination;
  readonly closed: AbortSignal;
}

function check(agent: HttpAgent, { protocol, checkDestination, closed }: Terms): void {
  const openedAt = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  agent.createConnection = (options: ConnectionOptions, done) => {
    const { host, port, servername, checked } = options;
    const hostname = host ?? '';
    const signal = AbortSignal.any([closed, AbortSignal.timeout(CONNECT_MS)]);
    unlessAborted(
      signal,
      async () => checked ?? (await checkDestination({ protocol, hostname })),
    ).then(
      (addresses) => {
        const to = { host: hostname, port: Number(port), lookup: only(addresses) };
        const socket = protocol === 'https:' ? openTls(to, servername) : connectTcp(to);
        openedAt.set(socket, performance.now());
        done?.(null, socket);
      },
      (error: unknown) => {
        (done as ((error: unknown) => void) | undefined)?.(error);
      },
    );
    return undefined;
  };
  const nameOf = agent.getName.bind(agent);
  agent.getName = (options: ConnectionOptions = {}) =>
    [nameOf(options), ...(options.checked ?? []).map(({ address }) => address).sort()].join();
  agent.keepSocketAlive = (socket) => {
    const age = performance.now() - (openedAt.get(socket) ?? 0);
    return age < OLDEST_MS - KEPT_MS && keep(socket);
  };
}

/** Node's types lack the name that the agent found for the handshake, and what `callHttp` adds. */
type ConnectionOptions = Parameters<HttpAgent['createConnection']>[0] & {
  readonly servername?: string;
  /** Only calls with the same addresses share a connection. */
  readonly checked?: readonly LookupAddress[];
};

interface Target {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
}

/** Resumes no session, so that no certificate is accepted because of an earlier one. */
const openTls = (to: Target, servername: string | undefined): Socket =>
  connectTls({ ...to, ...(servername && { servername }), ALPNProtocols: ['http/1.1'] });

/** Resolves every name to these addresses. */
function only(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** The address of the client, also behind proxies. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import proxyAddr from 'proxy-addr';

/** What a trusted proxy may be: an address, or a range such as 10.0.0.0/8 or 10.0.0.0/255.0.0.0. */
export function isProxyRange(text: string): boolean {
  if (isIP(text.split('/')[0] ?? '') === 0) return false;
  try {
    proxyAddr.compile(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The address of the peer or, behind trusted proxies, the last X-Forwarded-For entry that is not a
 * trusted proxy. Each proxy appends its peer, and clients can forge everything before that.
 */
export function clientAddresses(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const addresses = proxyAddr.all(request, trusts).map((address) => withoutPort(address ?? ''));
    return addresses.findLast((address) => isIP(address) !== 0) ?? '';
  };
}

/** Some proxies write `192.0.2.1:1234` and `[2001:db8::1]:1234`. */
function withoutPort(address: string): string {
  const match = /^\[([^\]]+)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address);
  return match?.[1] ?? match?.[2] ?? address;
}

/** One IPv6 client usually has a whole /64, so that counts as one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const zeros =
    tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [
    ...groups,
    ...Array<string>(Math.max(zeros, 0)).fill('0'),
    ...(tail ? tail.split(':') : []),
  ]
    .slice(0, 4)
    .join(':');
}

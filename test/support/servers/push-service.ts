/**
 * A push service on loopback, and browsers that subscribe to it. Messages are decrypted as RFC 8291
 * says, and their signatures checked as RFC 8292 says, without the library that makes them.
 */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface PushBrowser {
  /** What the browser gives to the service. */
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  /** Decrypts a message. Throws unless it is meant for this browser. */
  readonly open: (body: Buffer) => string;
}

export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PushService {
  readonly url: string;
  /** Oldest first. */
  readonly received: readonly ReceivedPush[];
  /** A browser with a separate endpoint. */
  browser(): PushBrowser;
  /** The response to the next messages for a browser, or for all. Default 201. */
  respondWith(reply: (response: ServerResponse) => void, browser?: PushBrowser): void;
  /** Messages that the browser received, decrypted. */
  messagesOf(browser: PushBrowser): readonly unknown[];
  close(): Promise<void>;
}

export async function startPushService(): Promise<PushService> {
  const received: ReceivedPush[] = [];
  const responses = new Map<string, (response: ServerResponse) => void>();
  const accept = (response: ServerResponse): void => {
    response.writeHead(201).end();
  };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const path = request.url ?? '';
      received.push({ path, headers: request.headers, body });
      (responses.get(path) ?? responses.get('*') ?? accept)(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pathOf = ({ subscription }: PushBrowser): string => new URL(subscription.endpoint).pathname;
  return {
    url,
    received,
    browser: () => newBrowser(`${url}/push/${randomUUID()}`),
    respondWith: (reply, browser) => {
      responses.set(browser ? pathOf(browser) : '*', reply);
    },
    messagesOf: (browser) =>
      received
        .filter(({ path }) => path === pathOf(browser))
        .map(({ body }) => JSON.parse(browser.open(body)) as unknown),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function newBrowser(endpoint: string): PushBrowser {
  const own = createECDH('prime256v1');
  const publicKey = own.generateKeys();
  const auth = randomBytes(16);
  return {
    subscription: {
      endpoint,
      keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    },
    open: (body) => {
      const salt = body.subarray(0, 16);
      const sender = body.subarray(21, 21 + (body[20] ?? 0));
      const sealed = body.subarray(21 + sender.length);
      const derive = (secret: Buffer, from: Buffer, info: Buffer | string, length: number) =>
        Buffer.from(hkdfSync('sha256', secret, from, info, length));
      const context = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]);
      const secret = derive(own.computeSecret(sender), auth, context, 32);
      const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
      const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
      const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
      const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
      return padded.subarray(0, padded.lastIndexOf(2)).toString();
    },
  };
}

/** What a message's signature says, if it is one of this key (VAPID). */
export function claimsOf(
  { headers }: ReceivedPush,
  publicKey: string,
): Readonly<Record<string, unknown>> | undefined {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  );
  const verifier = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x, y } as never,
    format: 'jwk',
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: verifier, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || key !== publicKey) return undefined;
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}

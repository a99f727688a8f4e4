/**
 * A real OpenID provider on a loopback port. Its people respond at once, and it can send false
 * responses or none.
 */
import {
  createPrivateKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  type JsonWebKey,
} from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeEach } from '@jest/globals';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration, Provider } from 'oidc-provider';
import { Browser, type Page } from '../browser.ts';

/** A person the provider knows. */
export interface ProviderPerson {
  readonly subject: string;
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
}

export interface SignInResponse {
  /** The authentication methods of the person. */
  readonly amr?: readonly string[];
  /** Refuses the sign-in. */
  readonly denies?: boolean;
}

type Override = (request: IncomingMessage, response: ServerResponse) => void;

const CLIENT_ID = 'countersign';
const CLIENT_SECRET = randomUUID();
const KEY_ID = 'signing-key';

export class IdentityProvider {
  /** The person at the browser when the provider asks, and their response. */
  person: ProviderPerson = { subject: 'unknown' };
  reply: SignInResponse = {};
  /** By path: responses in place of the provider. */
  readonly overrides = new Map<string, Override>();
  /** How often the provider asked a person to authenticate. */
  asked = 0;
  readonly issuer: string;
  private readonly people = new Map<string, ProviderPerson>();
  private readonly signingKey = newSigningKey();
  private provider: Provider | undefined;

  constructor(private readonly server: Server) {
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      void this.serve(request, response);
    });
  }

  /** The settings of the service for this provider. */
  get environment(): Readonly<Record<string, string>> {
    return {
      COUNTERSIGN_OIDC_ISSUER: this.issuer,
      COUNTERSIGN_OIDC_CLIENT_ID: CLIENT_ID,
      COUNTERSIGN_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    };
  }

  /** Lets services at these addresses sign people in. Before that the provider returns nothing. */
  async register(...publicUrls: readonly string[]): Promise<void> {
    this.provider = await quietly(async () => {
      const { Provider: OidcProvider } = await import('oidc-provider');
      return new OidcProvider(
        this.issuer,
        this.configuration(publicUrls.map((url) => `${url}/auth/oidc/callback`)),
      );
    });
  }

  /** An id token with the provider's own signature, or with that of another key. */
  idToken(claims: Readonly<Record<string, unknown>>, key: JsonWebKey = this.signingKey): string {
    const now = Math.floor(Date.now() / 1_000);
    const header = { alg: 'RS256', kid: KEY_ID };
    const body = {
      iss: this.issuer,
      aud: CLIENT_ID,
      sub: 'caller',
      iat: now,
      exp: now + 600,
      ...claims,
    };
    const input = [header, body]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${input}.${sign('sha256', Buffer.from(input), createPrivateKey({ key, format: 'jwk' })).toString('base64url')}`;
  }

  /** The token endpoint returns this id token, for any code. */
  forgeToken(idToken: string): void {
    this.override('/token', 200, {
      access_token: 'access',
      token_type: 'bearer',
      expires_in: 60,
      id_token: idToken,
    });
  }

  override(path: string, status: number, body: unknown): void {
    this.overrides.set(path, (_request, response) => {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.issuer);
    const override = this.overrides.get(pathname);
    if (override) override(request, response);
    else if (!this.provider) response.writeHead(503).end();
    else if (pathname.startsWith('/interaction/'))
      await this.interact(this.provider, request, response);
    else await this.provider.callback()(request, response);
  }

  private async interact(
    provider: Provider,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    this.asked += 1;
    const { subject } = this.person;
    this.people.set(subject, this.person);
    const { amr, denies } = this.reply;
    const result = denies
      ? { error: 'access_denied', error_description: 'the person <said> no: someone@example.com' }
      : { login: { accountId: subject, ...(amr && { amr: [...amr] }) } };
    await provider.interactionFinished(request, response, result);
  }

  private configuration(redirectUris: string[]): Configuration {
    return {
      clients: [
        { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: redirectUris },
      ],
      jwks: { keys: [this.signingKey as never] },
      cookies: { keys: [randomUUID()] },
      claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
      interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_ctx, subject) => ({
        accountId: subject,
        claims: () => ({ sub: subject, ...this.people.get(subject) }),
      }),
      // Consent is given without asking.
      loadExistingGrant: async (ctx) => {
        const { client, session, provider } = ctx.oidc;
        // One for all tabs of a browser: codes of a former grant end with it.
        const former = session?.grantIdFor(client?.clientId ?? '');
        const known = former === undefined ? undefined : await provider.Grant.find(former);
        if (known) return known;
        const grant = new provider.Grant({
          clientId: client?.clientId ?? '',
          accountId: session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 600,
        IdToken: 600,
        Interaction: 600,
        Session: 600,
      },
      renderError: (ctx, out) => {
        ctx.body = out;
      },
    };
  }
}

/** One provider for all tests of a file, as it was before each of them. Call it at the top of the file. */
export async function identityProviderForFile(): Promise<IdentityProvider> {
  const provider = await startIdentityProvider();
  beforeEach(() => {
    provider.reply = {};
    provider.overrides.clear();
  });
  afterAll(() => provider.close());
  return provider;
}

/** Listens, and returns nothing before `register`. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return new IdentityProvider(server);
}

/** A key that signs. The provider publishes its public half if it is the provider's. */
export function newSigningKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' };
}

/**
 * At its start the library prints remarks about this runtime and its in-memory data, which no test
 * needs.
 */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  const mute = () => undefined;
  Object.assign(console, { warn: mute, info: mute });
  try {
    return await run();
  } finally {
    Object.assign(console, { warn, info });
  }
}

/**
 * The steps of a browser that signs in at the service through its provider. Returns the response of
 * the callback, without following it.
 */
export async function signInThrough(
  serviceUrl: string,
  browser = new Browser(),
  query = '',
): Promise<Page> {
  const page = await reachCallback(serviceUrl, browser, query);
  return page.location ? await browser.open(page.location) : page;
}

/** The same up to the response of the provider, whose location is the callback. */
export async function reachCallback(
  serviceUrl: string,
  browser: Browser,
  query = '',
): Promise<Page> {
  return await browser.follow(`${serviceUrl}/auth/oidc/login${query}`, (next) =>
    next.pathname.endsWith('/auth/oidc/callback'),
  );
}

/** People who sign in with passwords and authenticator apps, each from their own browser. */
import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { Secret, TOTP } from 'otpauth';
import { hashPassword } from '../../../src/platform/crypto/passwords.ts';
import type { TestApp } from '../app.ts';
import { createMember, type Policy, type TestMember } from './factories.ts';
import { HttpClient, type ApiResponse } from '../http.ts';

export const PASSWORD = 'seven bright ravens on a wire';
export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

interface PersonOptions {
  readonly policies?: readonly Policy[];
  readonly displayName?: string;
  /**
   * A password with the service's own hash where a test is about its cost, otherwise with the
   * cheapest one that argon2id has.
   */
  readonly costly?: boolean;
}

/** A hash contains its own cost, so verifying this one takes a fraction of a millisecond. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
let cheapHash: Promise<string> | undefined;

/** As the service keeps it, but verified in a fraction of a millisecond. */
export const cheapHashOf = (password: string): Promise<string> => hash(password, CHEAP);

/** A member who can sign in with `PASSWORD`. */
export async function createPerson(
  app: TestApp,
  organizationId: string,
  options: PersonOptions = {},
): Promise<TestMember> {
  const member = await createMember(app, organizationId, options);
  cheapHash ??= cheapHashOf(PASSWORD);
  const password_hash = await (options.costly ? hashPassword(PASSWORD) : cheapHash);
  await app.db('users').where({ id: member.userId }).update({ password_hash });
  return member;
}

/** Removes attempts, so that repeated sign-ins in a test are not slowed down. */
export async function deleteAttempts(app: TestApp): Promise<void> {
  await app.db('sign_in_attempts').delete();
}

/** The ids of the session that the member has, and of a second one. */
export async function twoSessions(
  app: TestApp,
  { membershipId }: TestMember,
): Promise<[first: string, second: string]> {
  const first = (await app.db('sessions').where({ membership_id: membershipId }).first()) as {
    readonly id: string;
  };
  const id = randomUUID();
  await app.db('sessions').insert({ ...first, id });
  return [first.id, id];
}

export const codeOf = ({ status, body }: ApiResponse) => [status, body['error']?.['code']];

/** The cookie that a response sets, as a browser sends it. Empty when it sets none or clears it. */
export function cookieOf({ headers }: ApiResponse): string {
  return /((?:__Host-)?service_session=[^;]+)/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
}

/** A browser with this cookie, on our own pages. */
export function browserWith(app: TestApp, cookie: string): HttpClient {
  return new HttpClient(app.url, { cookie, origin: app.url, 'sec-fetch-site': 'same-origin' });
}

export function login(
  app: TestApp,
  member: { readonly email: string },
  cookie = '',
): Promise<ApiResponse> {
  const headers = cookie === '' ? {} : { cookie };
  return app.http.post('/auth/login', { email: member.email, password: PASSWORD }, { headers });
}

/** The token of a sign-in that waits for its second factor. */
export async function challengeOf(
  app: TestApp,
  member: { readonly email: string },
): Promise<string> {
  const response = await login(app, member);
  if (response.status !== 202) throw new Error(`no challenge: ${response.text}`);
  return String(response.body['mfa']?.['token']);
}

export interface Authenticator {
  readonly recoveryCodes: readonly string[];
  /** The code that confirmed it. */
  readonly confirmedBy: string;
  /**
   * The browser whose session enrolled it. Since then the session is strong and has another cookie.
   */
  readonly browser: HttpClient;
  readonly cookie: string;
  /** The code that the app shows now, or this many steps of 30 seconds away. */
  code(steps?: number): Promise<string>;
  /** A code that was never used. */
  freshCode(): Promise<string>;
  /** Six digits that are no code of these minutes. */
  wrongCode(): Promise<string>;
}

/** The codes of an app with this secret, by the clock of the database. */
export function codesOf(app: TestApp, secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const now = async () => {
    const { rows } = await app.db.raw<{ rows: [{ now: Date }] }>('select clock_timestamp() as now');
    return rows[0].now.getTime();
  };
  return {
    code: async (steps = 0) => totp.generate({ timestamp: (await now()) + steps * 30_000 }),
    wrongCode: async () => {
      const at = await now();
      const near = new Set(
        [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((steps) =>
          totp.generate({ timestamp: at + steps * 30_000 }),
        ),
      );
      return [
        '000000',
        '111111',
        '222222',
        '333333',
        '444444',
        '555555',
        '666666',
        '777777',
        '888888',
        '999999',
      ].find((code) => !near.has(code)) as string;
    },
  };
}

/** Enrolls an authenticator app through the API, in the session of the member's browser. */
export async function enroll(
  app: TestApp,
  member: Pick<TestMember, 'browser' | 'userId'>,
): Promise<Authenticator> {
  const begun = await member.browser.post('/api/v1/me/mfa/totp');
  if (begun.status !== 201) throw new Error(`not begun: ${begun.text}`);
  const codes = codesOf(app, String(begun.body['secret']));
  const confirmedBy = await codes.code();
  const confirmed = await member.browser.post('/api/v1/me/mfa/totp/confirm', { code: confirmedBy });
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${confirmed.text}`);
  return {
    ...codes,
    recoveryCodes: confirmed.body['recovery_codes'] as unknown as string[],
    confirmedBy,
    browser: browserWith(app, cookieOf(confirmed)),
    cookie: cookieOf(confirmed),
    freshCode: async () => {
      await app
        .db('totp_factors')
        .where({ user_id: member.userId })
        .update({ last_used_step: null });
      return await codes.code();
    },
  };
}

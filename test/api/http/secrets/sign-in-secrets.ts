/** What people do with secrets, once correctly and once wrongly: passwords, second factors, links in mails and single sign-on. */
import { BOOTSTRAP_SECRET } from '../../../support/app.ts';
import { Browser } from '../../../support/browser.ts';
import { codesOf } from '../../../support/scene/sign-in.ts';
import {
  signInThrough,
  type IdentityProvider,
} from '../../../support/servers/identity-provider.ts';
import type { MailServer } from '../../../support/servers/mail-server.ts';
import type { SecretCalls } from './secret-calls.ts';

export const OWNER = { email: 'ada@example.com', password: 'seven bright ravens on a wire' };

interface SignedIn {
  /** Of the newest session: each further authentication replaces it. */
  readonly cookie: string;
  readonly password: string;
}

/** Bootstraps, signs in, proves the password again and changes it. */
export async function enterAndProve({
  anonymous,
  browser,
  hide,
  session,
}: SecretCalls): Promise<SignedIn> {
  const bootstrap = { organization_name: 'Example Works', display_name: 'Ada Marsh', ...OWNER };
  await anonymous.post('/auth/bootstrap', {
    ...bootstrap,
    secret: hide('wrong bootstrap secret', 'not-the-secret-of-this-deployment'),
  });
  session(
    'bootstrap session',
    await anonymous.post('/auth/bootstrap', { ...bootstrap, secret: BOOTSTRAP_SECRET }),
  );
  await anonymous.post('/auth/bootstrap', { ...bootstrap, secret: BOOTSTRAP_SECRET });
  await anonymous.post('/auth/login', {
    email: OWNER.email,
    password: hide('wrong password', 'nine dull ravens on a wire'),
  });
  await anonymous.post('/auth/login', {
    email: 'unknown@example.com',
    password: hide('password of an unknown person', 'ten mute swans on a wire'),
  });
  let cookie = session('session', await anonymous.post('/auth/login', OWNER));
  await browser(cookie).post('/auth/reauthenticate', {
    password: hide('wrong password in a session', 'six dull ravens on a wire'),
  });
  cookie = session(
    'proven session',
    await browser(cookie).post('/auth/reauthenticate', { password: OWNER.password }),
  );
  const changed = hide('new password', 'eleven loud herons in the reeds');
  const change = { current_password: OWNER.password, new_password: changed };
  await browser(cookie).call('PUT', '/api/v1/me/password', {
    body: { ...change, current_password: hide('not the current one', 'wrong wrong wrong ravens') },
  });
  await browser(cookie).call('PUT', '/api/v1/me/password', {
    body: { ...change, new_password: hide('refused password', 'Passwort12345!!') },
  });
  cookie = session(
    'session after the change',
    await browser(cookie).call('PUT', '/api/v1/me/password', { body: change }),
  );
  return { cookie, password: changed };
}

/** Sets up a second factor and signs in with it. Returns the cookie of the last session. */
export async function secondFactor(calls: SecretCalls, owner: SignedIn): Promise<string> {
  const { app, hashed, anonymous, browser } = calls;
  const { hide, shown, shownToken, session, resetAttempts } = calls;
  const { password } = owner;
  let { cookie } = owner;
  const begun = await browser(cookie).post('/api/v1/me/mfa/totp');
  const seed = shown('seed', String(begun.body['secret']));
  const codes = codesOf(app, seed);
  await browser(cookie).post('/api/v1/me/mfa/totp/confirm', {
    code: hide('wrong code', await codes.wrongCode()),
  });
  const code = hide('confirming code', await codes.code());
  const confirmed = await browser(cookie).post('/api/v1/me/mfa/totp/confirm', { code });
  const recovery = confirmed.body['recovery_codes'] as unknown as string[];
  for (const [index, each] of recovery.entries()) shown(`recovery code ${index}`, each);
  session('strong session', confirmed);
  const challenge = async () => {
    const { body } = await anonymous.post('/auth/login', { email: OWNER.email, password });
    return shownToken('challenge', String(body['mfa']?.['token']));
  };
  await resetAttempts();
  const [first, second] = [await challenge(), await challenge()];
  await anonymous.post('/auth/mfa', { token: first, code: await codes.wrongCode() });
  await anonymous.post('/auth/mfa', { token: first, code });
  await anonymous.post('/auth/mfa', {
    token: first,
    code: hide('wrong recovery code', 'ZZZZ-ZZZZ-ZZZZ-ZZZZ'),
  });
  await resetAttempts();
  session(
    'session by a recovery code',
    await anonymous.post('/auth/mfa', { token: first, code: recovery[0] }),
  );
  await app.db('totp_factors').update({ last_used_step: null });
  cookie = session(
    'session by a code',
    await anonymous.post('/auth/mfa', { token: second, code: hide('code', await codes.code()) }),
  );
  hashed.push(cookie.split('=')[1] ?? '');
  await anonymous.post('/auth/mfa', { token: second, code: recovery[1] });
  const renewed = await browser(cookie).post('/api/v1/me/mfa/recovery_codes');
  for (const each of renewed.body['recovery_codes'] as unknown as string[])
    shown('renewed recovery code', each);
  await browser(cookie).call('GET', '/api/v1/me/mfa');
  await browser(cookie).call('GET', '/api/v1/me/sessions');
  await browser(cookie).call('GET', '/api/v1/me');
  return cookie;
}

const linkIn = (text: string) => /https?:\/\/\S+/.exec(text)?.[0].split('/').at(-1) ?? '';

export async function invitationsAndResets(
  { hashed, anonymous, browser, hide, session }: SecretCalls,
  cookie: string,
  mail: MailServer,
): Promise<void> {
  const owner = browser(cookie);
  const invited = await owner.post('/api/v1/invitations', {
    email: 'grace@example.com',
    permission_policies: [],
  });
  const first = hide('first invitation', linkIn((await mail.mailTo('grace@example.com')).text));
  await owner.post(`/api/v1/invitations/${String(invited.body['invitation']?.['id'])}/resend`);
  const link = hide('invitation', linkIn((await mail.mailTo('grace@example.com', 2)).text));
  hashed.push(link);
  const details = {
    display_name: 'Grace Hollow',
    password: hide('password of the invited person', 'four grey owls upon a barn'),
  };
  await anonymous.call('GET', `/auth/invitations/${link}`);
  await anonymous.call('GET', `/invitations/${link}`);
  await anonymous.post(`/auth/invitations/${first}/accept`, details);
  session(
    'session of the invited person',
    await anonymous.post(`/auth/invitations/${link}/accept`, details),
  );
  await anonymous.post(`/auth/invitations/${link}/accept`, details);
  await owner.call('GET', '/api/v1/invitations');
  await owner.call('GET', '/api/v1/members');

  await anonymous.post('/auth/password/forgot', { email: 'grace@example.com' });
  const reset = hide('reset link', linkIn((await mail.mailTo('grace@example.com', 3)).text));
  hashed.push(reset);
  await anonymous.call('GET', `/auth/password/reset/${reset}`);
  await anonymous.post('/auth/password/reset', {
    token: reset,
    password: hide('refused new password', 'password1234'),
  });
  await anonymous.post('/auth/password/reset', {
    token: reset,
    password: hide('reset password', 'three brown wrens beneath a bridge'),
  });
  await anonymous.post('/auth/password/reset', {
    token: reset,
    password: 'three brown wrens beneath a bridge',
  });
}

export async function singleSignOn(
  { app, answers, hashed, anonymous, browser, hide }: SecretCalls,
  provider: IdentityProvider,
): Promise<void> {
  provider.person = {
    subject: 'hopper',
    email: 'hopper@example.com',
    email_verified: true,
    name: 'Hopper',
  };
  const visitor = new Browser();
  const page = await signInThrough(app.url, visitor);
  const code = page.url.searchParams.get('code') ?? '';
  const state = page.url.searchParams.get('state') ?? '';
  answers.push({
    what: 'the callback',
    text: JSON.stringify({ ...page.headers, 'set-cookie': '' }),
  });
  hide('authorization code', code);
  hide('state', state);
  const signedIn = hide(
    'session by the provider',
    visitor.cookie(app.url, 'service_session') ?? '',
  );
  hashed.push(signedIn);
  await browser(`service_session=${signedIn}`).call('GET', '/api/v1/me');
  await anonymous.call('GET', `/auth/oidc/callback?code=${code}&state=${state}`);
}

/** Secrets in the wrong place: a refusal must not repeat the value. */
export async function nonsense(
  { anonymous, browser, hide, resetAttempts }: SecretCalls,
  cookie: string,
): Promise<void> {
  await resetAttempts();
  const password = hide('misplaced password', 'a password in the wrong place entirely');
  await anonymous.post('/auth/login', { email: password, password: { text: password } });
  await anonymous.post('/auth/login', `{"email": "ada@example.com", "password": "${password}`);
  await anonymous.post('/auth/login', { email: OWNER.email, password: password.repeat(50) });
  await anonymous.post('/auth/mfa', { token: password, code: password });
  await anonymous.post('/auth/bootstrap', { secret: password });
  await anonymous.call('GET', `/api/v1/me?password=${encodeURIComponent(password)}`);
  await browser(`service_session=${encodeURIComponent(password)}`).call('GET', '/api/v1/me');
  await browser(cookie).post('/api/v1/me/api_keys', { name: 1, password });
  await browser(cookie).post('/auth/logout');
}

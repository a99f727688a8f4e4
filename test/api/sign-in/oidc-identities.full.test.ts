/** One identity for each member: another person with a reused address never becomes the member. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { Browser } from '../../support/browser.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import { everywhere } from '../../support/scene/cast.ts';
import { createMember, type TestMember } from '../../support/scene/factories.ts';
import { cheapHashOf, PASSWORD } from '../../support/scene/sign-in.ts';
import { invite } from '../../support/scene/invitations.ts';
import { outcome } from '../../support/refusals.ts';
import {
  identityProviderForFile,
  reachCallback,
  signInThrough,
} from '../../support/servers/identity-provider.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { until, untilBlocked } from '../../support/waiting.ts';
import { account, count, errorOf, events, newPerson } from './oidc-accounts.ts';

const provider = await identityProviderForFile();
const mail = await startMailServer();
const { app, organization } = await scene({
  app: {
    environment: {
      ...provider.environment,
      COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com',
      SMTP_URL: mail.url,
    },
  },
});
await provider.register(app.url);

afterAll(() => mail.close());

/** A member who has signed in through the provider. */
async function linkedMember(
  member?: TestMember,
): Promise<TestMember & { readonly subject: string }> {
  const linked = member ?? (await createMember(app, organization.id));
  const person = newPerson(linked.email);
  provider.person = person;
  expect(errorOf(await signInThrough(app.url))).toBeNull();
  return { ...linked, subject: person.subject };
}

const identitiesOf = async ({ userId }: TestMember) =>
  (
    (await app.db('user_identities').where({ user_id: userId }).select('subject')) as {
      subject: string;
    }[]
  ).map(({ subject }) => subject);

async function signIn(email: string, subject?: string) {
  provider.person = { ...newPerson(email), ...(subject !== undefined && { subject }) };
  const browser = new Browser();
  const page = await signInThrough(app.url, browser);
  return { code: errorOf(page), me: await account(app, browser) };
}

describe('another subject with the email of a member', () => {
  test('does not enter, not even as the owner, and the audit log says who tried', async () => {
    const owner = await linkedMember(organization.owner);
    const { code, me } = await signIn(owner.email);
    const { subject } = provider.person;
    expect([code, me]).toEqual(['sign_in_not_admitted', undefined]);
    expect(await identitiesOf(owner)).toEqual([owner.subject]);
    const failures = async () =>
      (await events(app, owner.membershipId)).filter(
        (event) => (event as { type: string }).type === 'session.sign_in_failed',
      );
    await until('the refusal is on record', async () => (await failures()).length > 0);
    expect(await failures()).toMatchObject([
      { data: { reason: 'another_identity', issuer: provider.issuer, subject } },
    ]);
    expect((await signIn('elsewhere@example.com', owner.subject)).me?.principal).toMatchObject({
      membership_id: owner.membershipId,
    });
  });

  test('does not enter in place of someone suspended or removed, invited or not', async () => {
    for (const status of ['suspended', 'deprovisioned']) {
      const member = await linkedMember();
      await app.db('memberships').where({ id: member.membershipId }).update({ status });
      expect((await signIn(member.email)).code).toBe('sign_in_not_admitted');
      if (status === 'suspended') continue;
      const policies = [everywhere('request.decide')];
      expect(outcome(await invite(organization.owner, { email: member.email, policies }))).toBe(
        '201',
      );
      expect((await signIn(member.email)).code).toBe('sign_in_not_admitted');
      expect(await identitiesOf(member)).toEqual([member.subject]);
      // The person themselves accepts it.
      expect((await signIn(member.email, member.subject)).me?.principal.membership_id).toBe(
        member.membershipId,
      );
    }
  });

  test('is one of two who arrive at the same moment: only one is linked', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const member = await createMember(app, organization.id);
      const browsers = [new Browser(), new Browser()];
      const callbacks: string[] = [];
      for (const browser of browsers) {
        provider.person = newPerson(member.email);
        callbacks.push((await reachCallback(app.url, browser)).location?.href ?? '');
      }
      const pages = await Promise.all(
        browsers.map((browser, index) => browser.open(callbacks[index] ?? '')),
      );
      expect(pages.map((page) => errorOf(page) ?? 'entered').sort()).toEqual([
        'entered',
        'sign_in_not_admitted',
      ]);
      expect(await identitiesOf(member)).toHaveLength(1);
    }
  });

  test('gets no link for a new password, while members unknown to the provider do', async () => {
    const linked = await linkedMember();
    const unknown = await createMember(app, organization.id);
    const password_hash = await cheapHashOf(PASSWORD);
    await app.db('users').whereIn('id', [linked.userId, unknown.userId]).update({ password_hash });
    for (const { email } of [linked, unknown])
      expect((await app.http.post('/auth/password/forgot', { email })).status).toBe(202);
    await mail.mailTo(unknown.email);
    expect(await count(app, 'password_resets', { user_id: linked.userId })).toBe(0);
    const links = mail.mails.filter(({ text }) => text.includes('/password/reset/'));
    expect(links.flatMap(({ to }) => to)).toEqual([unknown.email]);
  });
});

describe('the identities of a member', () => {
  const path = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}/identities`;

  test('are listed, and an owner unlinks them, which ends the sessions and lets the next one in', async () => {
    const { owner } = organization;
    const member = await linkedMember();
    const { browser: signedIn } = { browser: new Browser() };
    provider.person = { ...newPerson(member.email), subject: member.subject };
    await signInThrough(app.url, signedIn);
    expect((await owner.browser.get(path(member))).body).toMatchObject({
      identities: [{ issuer: provider.issuer, subject: member.subject }],
    });
    expect(outcome(await owner.browser.delete(path(member)))).toBe('204');
    expect((await owner.browser.get(path(member))).body).toEqual({ identities: [] });
    expect(await account(app, signedIn)).toBeUndefined();
    const { code, me } = await signIn(member.email);
    expect([code, me?.principal.membership_id]).toEqual([null, member.membershipId]);
    expect((await signIn(member.email, member.subject)).code).toBe('sign_in_not_admitted');
    expect(outcome(await owner.browser.delete(path(member)))).toBe('204');
    expect(outcome(await owner.browser.delete(path(member)))).toBe('204');
    expect(await events(app, member.membershipId)).toEqual(
      expect.arrayContaining([
        {
          type: 'membership.identity_unlinked',
          actor: owner.membershipId,
          data: { issuer: provider.issuer, subject: member.subject },
        },
      ]),
    );
  });

  test('open no session for a sign-in that was under way when they were unlinked', async () => {
    const member = await linkedMember();
    // Nothing but the identity says who they are.
    provider.person = { ...newPerson(), subject: member.subject, email_verified: false };
    const browser = new Browser();
    const { location: callback } = await reachCallback(app.url, browser);
    const begun = await app.db.transaction(async (trx) => {
      await trx('memberships').where({ id: member.membershipId }).forUpdate().first('id');
      const signsIn = browser.open(callback ?? '');
      await untilBlocked(trx);
      const unlinks = organization.owner.browser.delete(path(member));
      await Promise.race([unlinks, untilBlocked(trx, 2)]);
      return { signsIn, unlinks };
    });
    expect(outcome(await begun.unlinks)).toBe('204');
    await begun.signsIn;
    expect(await identitiesOf(member)).toEqual([]);
    expect(await account(app, browser)).toBeUndefined();
  });

  test('stay with those who are no owner, and with an owner whose authentication is old', async () => {
    const member = await linkedMember();
    const manager = await createMember(app, organization.id, {
      policies: [everywhere('membership.write', 'membership.read')],
    });
    expect(outcome(await manager.browser.delete(path(member)))).toBe('403 owner_required');
    const { owner } = organization;
    expect(outcome(await owner.http.delete(path(member)))).toBe('403 session_required');
    const sessions = () => app.db('sessions').where({ membership_id: owner.membershipId });
    const now = (await sessions().first('authenticated_at')) as { authenticated_at: Date };
    await sessions().update({ authenticated_at: new Date(Date.now() - 86_400_000) });
    expect(outcome(await owner.browser.delete(path(member)))).toBe('403 reauthentication_required');
    await sessions().update(now);
    expect(await identitiesOf(member)).toEqual([member.subject]);
  });
});

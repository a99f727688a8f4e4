/** Which people a real OpenID provider signs in, and as which members. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Browser, type Page } from '../../support/browser.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile, scene } from '../../support/scene.ts';
import { createMember, createOrganization } from '../../support/scene/factories.ts';
import {
  reachCallback,
  signInThrough,
  identityProviderForFile,
} from '../../support/servers/identity-provider.ts';
import { until } from '../../support/waiting.ts';
import { account, count, errorOf, events, newPerson } from './oidc-accounts.ts';

const provider = await identityProviderForFile();
const environment = {
  ...provider.environment,
  COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com, Works.Example',
};
const { app, organization } = await scene({ app: { environment } });
/** Admits no domain. */
const closed = await appForFile({ environment: provider.environment });
/** Three seats. */
const small = await appForFile({ environment: { ...environment, COUNTERSIGN_MAX_SEATS: '3' } });
await provider.register(app.url, closed.url, small.url);

describe('an unknown person', () => {
  test('of an admitted domain becomes a member without password and permissions', async () => {
    provider.person = newPerson('Ada@EXAMPLE.com');
    const browser = new Browser();
    await signInThrough(app.url, browser);
    const me = await account(app, browser);
    expect(me?.user).toEqual({
      display_name: provider.person.name,
      email: 'Ada@EXAMPLE.com',
      has_password: false,
    });
    expect(me?.principal.permissions).toEqual([]);
    const id = me?.principal.membership_id ?? '';
    const membership = (await app.db('memberships').where({ id }).first()) as Record<
      string,
      unknown
    >;
    expect(membership).toMatchObject({
      organization_id: organization.id,
      status: 'active',
      admission_source: 'sso_jit',
    });
    expect(await events(app, id)).toEqual([
      { type: 'membership.created', data: { admission_source: 'sso_jit' }, actor: id },
      {
        type: 'membership.identity_linked',
        data: { issuer: provider.issuer, subject: provider.person.subject },
        actor: id,
      },
    ]);
    expect(await count(app, 'permission_policies', { membership_id: id })).toBe(0);
  });

  test('is named after the local part of the email when the provider has no name', async () => {
    const { name: _name, ...nameless } = newPerson('no.name@works.example');
    provider.person = nameless;
    const browser = new Browser();
    await signInThrough(app.url, browser);
    expect((await account(app, browser))?.user['display_name']).toBe('no.name');
  });

  test.each([
    ['no email', { email: undefined }],
    ['a foreign domain', { email: 'eve@evil.example' }],
    ['a domain that begins like an admitted one', { email: 'eve@example.com.evil' }],
    ['a domain below an admitted one', { email: 'eve@sub.example.com' }],
    ['a domain that ends like an admitted one', { email: 'eve@evil-example.com' }],
    ['two domains', { email: 'eve@evil.example@example.com' }],
    ['a letter that looks like another', { email: 'eve@ex\u0430mple.com' }],
  ])('with %s is not admitted, and leaves nothing behind', async (_what, claims) => {
    const before = await Promise.all(
      ['users', 'memberships', 'user_identities', 'sessions'].map((table) => count(app, table)),
    );
    provider.person = { ...newPerson(), ...claims } as never;
    const browser = new Browser();
    const page = await signInThrough(app.url, browser);
    expect(page.location?.href).toBe(`${app.url}/login?error=sign_in_not_admitted`);
    expect(await account(app, browser)).toBeUndefined();
    expect(
      await Promise.all(
        ['users', 'memberships', 'user_identities', 'sessions'].map((table) => count(app, table)),
      ),
    ).toEqual(before);
  });

  test('is not admitted when no domain is, while members are', async () => {
    const { id } = await createOrganization(closed);
    provider.person = newPerson();
    expect(errorOf(await signInThrough(closed.url))).toBe('sign_in_not_admitted');
    const member = await createMember(closed, id);
    provider.person = newPerson(member.email);
    expect((await signInThrough(closed.url)).location?.pathname).toBe('/');
  });

  test('who signs in twice at the same moment becomes one member', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = newPerson();
      provider.person = person;
      const browsers = [new Browser(), new Browser()];
      const callbacks: Page[] = [];
      for (const browser of browsers) callbacks.push(await reachCallback(app.url, browser));
      await Promise.all(
        browsers.map((browser, index) => browser.open(callbacks[index]?.location ?? '')),
      );
      const ids = (await Promise.all(browsers.map((browser) => account(app, browser)))).map(
        (me) => me?.principal.membership_id,
      );
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(ids[1]).toBe(ids[0]);
      expect(await count(app, 'users', { email: person.email })).toBe(1);
      expect(await count(app, 'user_identities', { subject: person.subject })).toBe(1);
      expect(await events(app, ids[0] ?? '')).toHaveLength(2);
    }
  });
});

describe('seats', () => {
  const enter = async (browser = new Browser()) =>
    errorOf(await signInThrough(small.url, browser)) ?? 'entered';

  test('do not exist before the first organization or after the last', async () => {
    provider.person = newPerson();
    expect(await enter()).toBe('sign_in_not_admitted');
    const { id } = await createOrganization(small);
    expect(await enter()).toBe('entered');
    await small.db('organizations').where({ id }).update({ deleted_at: new Date() });
    expect(await enter()).toBe('sign_in_not_admitted');
    provider.person = newPerson();
    expect(await enter()).toBe('sign_in_not_admitted');
  });

  test('are never exceeded, and existing members still sign in', async () => {
    const { id: organizationId, owner } = await createOrganization(small);
    const member = await createMember(small, organizationId);
    for (let round = 0; round < 5; round += 1) {
      const browsers = [new Browser(), new Browser()];
      const callbacks: Page[] = [];
      for (const browser of browsers) {
        provider.person = newPerson();
        callbacks.push(await reachCallback(small.url, browser));
      }
      const pages = await Promise.all(
        browsers.map((browser, index) => browser.open(callbacks[index]?.location ?? '')),
      );
      expect(pages.map((page) => errorOf(page) ?? 'entered').sort()).toEqual([
        'entered',
        'seat_limit_reached',
      ]);
      expect(
        await count(small, 'memberships', { organization_id: organizationId, status: 'active' }),
      ).toBe(3);
      await small
        .db('memberships')
        .where({ organization_id: organizationId })
        .whereNotIn('id', [owner.membershipId, member.membershipId])
        .update({ status: 'deprovisioned' });
    }
    await createMember(small, organizationId);
    provider.person = newPerson(member.email);
    expect(await enter()).toBe('entered');
  });
});

describe('a known person', () => {
  test('is recognized once by the verified email, and then by the subject at the provider', async () => {
    const member = await createMember(app, organization.id);
    const person = newPerson(member.email.toUpperCase());
    provider.person = person;
    const browser = new Browser();
    await signInThrough(app.url, browser);
    expect((await account(app, browser))?.principal.membership_id).toBe(member.membershipId);
    const linked = {
      type: 'membership.identity_linked',
      data: { issuer: provider.issuer, subject: person.subject },
      actor: member.membershipId,
    };
    expect(await events(app, member.membershipId)).toEqual([linked]);
    provider.person = {
      subject: person.subject,
      email: 'moved@evil.example',
      email_verified: false,
    };
    const again = new Browser();
    await signInThrough(app.url, again);
    expect((await account(app, again))?.principal.membership_id).toBe(member.membershipId);
    expect((await account(app, again))?.user['email']).toBe(member.email);
    expect(await events(app, member.membershipId)).toEqual([linked]);
  });

  test('is not recognized by an unverified email', async () => {
    const member = await createMember(app, organization.id);
    provider.person = { ...newPerson(member.email), email_verified: false };
    expect(errorOf(await signInThrough(app.url))).toBe('email_not_verified');
    expect(await count(app, 'user_identities', { user_id: member.userId })).toBe(0);
  });

  test.each([
    ['suspended', 'membership_inactive'],
    ['deprovisioned', 'sign_in_not_admitted'],
  ])('who is %s stays out and unchanged, by email and by subject', async (status, code) => {
    const member = await createMember(app, organization.id, { status });
    provider.person = newPerson(member.email);
    expect(errorOf(await signInThrough(app.url))).toBe(code);
    expect(await count(app, 'user_identities', { user_id: member.userId })).toBe(0);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect(errorOf(await signInThrough(app.url))).toBeNull();
    await app.db('memberships').where({ id: member.membershipId }).update({ status });
    expect(errorOf(await signInThrough(app.url))).toBe(code);
    expect(await count(app, 'memberships', { user_id: member.userId, status })).toBe(1);
  });

  test('who is suspended leaves an audit event for each refusal, by email and by subject', async () => {
    const member = await createMember(app, organization.id, { status: 'suspended' });
    provider.person = newPerson(member.email);
    await signInThrough(app.url);
    const { subject } = provider.person;
    await app
      .db('user_identities')
      .insert({ issuer: provider.issuer, subject, user_id: member.userId, created_at: new Date() });
    await signInThrough(app.url);
    const refusal = {
      type: 'session.sign_in_failed',
      actor: null,
      data: { membership_id: member.membershipId, reason: 'membership_inactive' },
    };
    await until(
      'both refusals are on record',
      async () => (await events(app, member.membershipId)).length >= 2,
    );
    expect(await events(app, member.membershipId)).toMatchObject([refusal, refusal]);
  });

  test('enters by the active membership, not by an older inactive one', async () => {
    const member = await createMember(app, organization.id, { status: 'suspended' });
    const other = await createOrganization(app);
    const id = randomUUID();
    const now = new Date();
    await app.db('memberships').insert({
      id,
      organization_id: other.id,
      user_id: member.userId,
      status: 'active',
      admission_source: 'manual',
      created_at: now,
      updated_at: now,
    });
    provider.person = newPerson(member.email);
    const browser = new Browser();
    await signInThrough(app.url, browser);
    expect((await account(app, browser))?.principal.membership_id).toBe(id);
  });
});

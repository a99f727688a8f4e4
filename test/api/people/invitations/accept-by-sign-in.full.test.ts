/**
 * Invited people who sign in through the identity provider: the sign-in accepts the invitation for
 * their email.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type TestApp } from '../../../support/app.ts';
import { Browser, type Page } from '../../../support/browser.ts';
import { scene } from '../../../support/scene.ts';
import {
  createMember,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import {
  reachCallback,
  signInThrough,
  identityProviderForFile,
} from '../../../support/servers/identity-provider.ts';
import { everywhere } from '../../../support/scene/cast.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  accept,
  expire,
  INVITATIONS,
  invite,
  invited,
  newEmail,
} from '../../../support/scene/invitations.ts';
import { ROUNDS } from '../../../support/rounds.ts';

const provider = await identityProviderForFile();
const inviting = await scene({ app: { environment: provider.environment } });
/** Admits only invited people. */
const closed = inviting.app;
const welcoming = await scene({
  app: {
    environment: {
      ...provider.environment,
      COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com',
      COUNTERSIGN_MAX_SEATS: '2',
    },
  },
});
/** Admits everyone of example.com. */
const open = welcoming.app;
await provider.register(closed.url, open.url);
const organizations = new Map(
  [inviting, welcoming].map(({ app, organization }) => [app, organization]),
);

beforeEach(async () => {
  const { id, owner } = home(open);
  await open.db('invitations').where({ organization_id: id }).delete();
  await open
    .db('memberships')
    .where({ organization_id: id })
    .whereNot({ id: owner.membershipId })
    .update({ status: 'deprovisioned' });
});

function home(app: TestApp): TestOrganization {
  const organization = organizations.get(app);
  if (!organization) throw new Error('an app without its organization');
  return organization;
}

let people = 0;
function appear(email: string, claims: Readonly<Record<string, unknown>> = {}): void {
  const subject = `invited-${++people}`;
  provider.person = {
    subject,
    email,
    email_verified: true,
    name: `Invited ${people}`,
    ...claims,
  } as never;
}

const errorOf = ({ location }: Page) => location?.searchParams.get('error');

interface Principal {
  readonly membership_id: string;
  readonly permissions: readonly string[];
}

async function principalOf(app: TestApp, browser: Browser): Promise<Principal | undefined> {
  const answer = await browser.open(`${app.url}/api/v1/me`);
  return answer.status === 200
    ? (JSON.parse(answer.text) as { principal: Principal }).principal
    : undefined;
}

async function enter(
  app: TestApp,
): Promise<{ readonly page: Page; readonly principal: Principal | undefined }> {
  const browser = new Browser();
  const page = await signInThrough(app.url, browser);
  return { page, principal: await principalOf(app, browser) };
}

const statusOf = async (app: TestApp, id: string) => {
  const { body } = await home(app).owner.browser.get(`${INVITATIONS}?limit=500`);
  return (body['invitations'] as unknown as { id: string; status: string }[]).find(
    (invitation) => invitation.id === id,
  )?.status;
};

const policies = [everywhere('webhook.read')];

describe('an invited person at the identity provider', () => {
  test('is admitted where other people are not, with the grants of the invitation, which is then accepted', async () => {
    const { id, email } = await invited(home(closed).owner, { policies });
    appear(email.toUpperCase());
    const { principal } = await enter(closed);
    expect(principal?.permissions).toEqual(['webhook.read']);
    expect(await statusOf(closed, id)).toBe('accepted');
    const membership: unknown = await closed
      .db('memberships')
      .where({ id: principal?.membership_id })
      .first();
    expect(membership).toMatchObject({ status: 'active', admission_source: 'invite' });
    expect((await enter(closed)).principal?.membership_id).toBe(principal?.membership_id);
  });

  test('takes the seat that the invitation holds, when no other is free', async () => {
    const { email } = await invited(home(open).owner, { policies });
    appear(newEmail());
    expect(errorOf((await enter(open)).page)).toBe('seat_limit_reached');
    appear(email);
    expect((await enter(open)).principal?.permissions).toEqual(['webhook.read']);
    expect(outcome(await invite(home(open).owner))).toBe('409 seat_limit_reached');
  });

  test('rejoins with the old membership id after removal, and only with a new invitation', async () => {
    appear(newEmail());
    const before = await enter(open);
    const membershipId = before.principal?.membership_id ?? '';
    await open.db('memberships').where({ id: membershipId }).update({ status: 'deprovisioned' });
    expect(errorOf((await enter(open)).page)).toBe('sign_in_not_admitted');
    await invited(home(open).owner, { email: String(provider.person?.email), policies });
    expect((await enter(open)).principal).toMatchObject({
      membership_id: membershipId,
      permissions: ['webhook.read'],
    });
  });

  test('is refused with an unverified email and with an ended invitation', async () => {
    const [unverified, revoked, expired] = [
      await invited(home(closed).owner),
      await invited(home(closed).owner),
      await invited(home(closed).owner),
    ];
    await home(closed).owner.browser.delete(`${INVITATIONS}/${revoked.id}`);
    await expire(closed, expired.id);
    appear(unverified.email, { email_verified: false });
    expect(errorOf((await enter(closed)).page)).toBe('email_not_verified');
    for (const { email } of [revoked, expired]) {
      appear(email);
      expect(errorOf((await enter(closed)).page)).toBe('sign_in_not_admitted');
    }
    expect(await statusOf(closed, unverified.id)).toBe('pending');
  });

  test('is refused when the inviter may no longer grant the invitation', async () => {
    const sender: TestMember = await createMember(closed, home(closed).id, {
      policies: [everywhere('membership.invite', 'webhook.read')],
    });
    const { id, email } = await invited(sender, { policies });
    await closed.db('permission_policies').where({ membership_id: sender.membershipId }).delete();
    appear(email);
    expect(errorOf((await enter(closed)).page)).toBe('sign_in_not_admitted');
    expect(await statusOf(closed, id)).toBe('pending');
  });

  test('is refused after removal by the directory', async () => {
    const removed = await createMember(closed, home(closed).id, { status: 'deprovisioned' });
    await invited(home(closed).owner, { email: removed.email });
    await closed
      .db('memberships')
      .where({ id: removed.membershipId })
      .update({ directory_managed: true });
    appear(removed.email);
    expect(errorOf((await enter(closed)).page)).toBe('sign_in_not_admitted');
  });

  test('becomes one member when the link is used at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, email, token } = await invited(home(closed).owner, { policies });
      appear(email);
      const browser = new Browser();
      const callback = await reachCallback(closed.url, browser);
      const [answer] = await Promise.all([
        accept(closed, token),
        browser.open(callback.location ?? ''),
      ]);
      expect(['201', '404 not_found', '409 account_exists']).toContain(outcome(answer));
      const users = (await closed.db('users').where({ email }).select('id')) as { id: string }[];
      expect(users).toHaveLength(1);
      const memberships = (await closed
        .db('memberships')
        .where({ user_id: users[0]?.id })
        .select('id')) as { id: string }[];
      expect(memberships).toHaveLength(1);
      expect(await statusOf(closed, id)).toBe('accepted');
      expect((await principalOf(closed, browser))?.membership_id).toBe(memberships[0]?.id);
    }
  });
});

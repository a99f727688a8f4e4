/** Linking members with Slack users. */
import { describe, expect, test } from '@jest/globals';
import { createMember } from '../../support/scene/factories.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  codeOf,
  connectSlack,
  eventsOf,
  linkOf,
  said,
} from '../../support/scene/slack-connections.ts';
import { slackForFile } from '../../support/scene/slack-scene.ts';

const { app, slack } = await slackForFile();
const connected = () => connectSlack(app, slack);

describe('linking', () => {
  test('starts in a session, ends in Slack with a code, and is in the audit log', async () => {
    const { organization, caller } = await connected();
    const member = await createMember(app, organization.id);
    const text = said(await caller.command('U77', `link ${(await codeOf(member)).toLowerCase()}`));
    expect(text).toContain(member.displayName);
    expect(text).toContain(member.email);
    expect((await member.http.get('/api/v1/me/slack')).body).toMatchObject({
      slack_user_id: 'U77',
      linked_at: expect.any(String),
    });
    const shown = await organization.owner.http.get('/api/v1/slack');
    const { owner } = organization;
    expect(shown.body).toMatchObject({
      linked_members: [
        {
          membership_id: member.membershipId,
          display_name: member.displayName,
          slack_user_id: 'U77',
          messages_on: true,
        },
      ],
      linked_member_count: 1,
      unlinked_members: [{ membership_id: owner.membershipId, display_name: owner.displayName }],
      unlinked_member_count: 1,
    });
    const events = await eventsOf(app, organization.id, 'membership.slack_');
    expect(events).toEqual([
      {
        event_type: 'membership.slack_linked',
        actor_id: member.membershipId,
        data: '{"slack_user_id":"U77"}',
      },
    ]);
  });

  test('can be undone from either side', async () => {
    const { organization, owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect(said(await caller.command('U1', 'unlink'))).toBe(
      'Your Slack account is no longer linked.',
    );
    expect(said(await caller.command('U1', 'unlink'))).toContain('was not linked');
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect((await owner.browser.delete('/api/v1/me/slack')).status).toBe(204);
    expect((await owner.browser.delete('/api/v1/me/slack')).status).toBe(204);
    expect(await linkOf(owner)).toBe(null);
    const events = await eventsOf(app, organization.id, 'membership.slack_');
    expect(events.map(({ event_type }) => event_type.replace('membership.slack_', ''))).toEqual([
      'linked',
      'unlinked',
      'linked',
      'unlinked',
    ]);
  });

  test('says who turned messages off, and counts no one who is suspended as not linked', async () => {
    const { organization, owner, caller } = await connected();
    const { membershipId } = await createMember(app, organization.id, { status: 'suspended' });
    await caller.command('U1', `link ${await codeOf(owner)}`);
    const settings = { email: true, slack: false, push: true };
    const put = await owner.browser.call('PUT', '/api/v1/me/notification_settings', {
      body: settings,
    });
    expect(put.status).toBe(200);
    const { body, text } = await owner.http.get('/api/v1/slack');
    expect(body).toMatchObject({
      linked_members: [{ slack_user_id: 'U1', messages_on: false }],
      unlinked_members: [],
      unlinked_member_count: 0,
    });
    expect(text).not.toContain(membershipId);
  });

  test('accepts a code once, even if many use it at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { owner, caller } = await connected();
      const code = await codeOf(owner);
      const answers = await Promise.all(
        ['U1', 'U2', 'U3'].map((user) => caller.command(user, `link ${code}`)),
      );
      expect(
        answers.map(said).filter((text) => text.startsWith('Your Slack account is now linked')),
      ).toHaveLength(1);
    }
  });

  test('refuses a code that is used, replaced, withdrawn, expired, or of another organization', async () => {
    const { organization, owner, caller } = await connected();
    const elsewhere = await connected();
    const used = await codeOf(owner);
    await caller.command('U1', `link ${used}`);
    const member = await createMember(app, organization.id);
    const replaced = await codeOf(member);
    const current = await codeOf(member);
    expect(said(await elsewhere.caller.command('U5', `link ${current}`))).toContain('wrong');
    for (const code of [used, replaced, '', 'AAAA-AAAA-AAAA-AAAA']) {
      expect(said(await caller.command('U5', `link ${code}`))).toContain('wrong');
    }
    await app
      .db('slack_link_codes')
      .where({ membership_id: member.membershipId })
      .update({ expires_at: new Date(Date.now() - 1) });
    expect(said(await caller.command('U5', `link ${current}`))).toContain('wrong');
    const withdrawn = await codeOf(member);
    await member.browser.delete('/api/v1/me/slack');
    expect(said(await caller.command('U5', `link ${withdrawn}`))).toContain('wrong');
    expect(await linkOf(member)).toBe(null);
  });

  test('refuses only the guessing Slack user for ten minutes, even with the correct code', async () => {
    const { owner, caller } = await connected();
    const code = await codeOf(owner);
    for (let guess = 0; guess < 10; guess++)
      expect(said(await caller.command('UEVIL', `link 0000-0000-0000-000${guess}`))).toContain(
        'wrong',
      );
    expect(said(await caller.command('UEVIL', `link ${code}`))).toContain('Too many attempts');
    expect(said(await caller.command('U1', `link ${code}`))).toContain('is now linked');
  });

  test("does not replace another member's Slack user, and keeps the code for the right one", async () => {
    const { organization, owner, caller } = await connected();
    const member = await createMember(app, organization.id);
    await caller.command('U1', `link ${await codeOf(owner)}`);
    const code = await codeOf(member);
    expect(said(await caller.command('U1', `link ${code}`))).toContain('another member');
    expect(said(await caller.command('U2', `link ${code}`))).toContain('is now linked');
    expect([await linkOf(owner), await linkOf(member)]).toEqual(['U1', 'U2']);
  });

  test('again replaces the old Slack user, who can do nothing afterwards', async () => {
    const { owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect(said(await caller.command('U2', `link ${await codeOf(owner)}`))).toContain(
      'is now linked',
    );
    expect(await linkOf(owner)).toBe('U2');
    expect(said(await caller.command('U1', 'help'))).toContain('not linked to a member');
  });

  test('is refused for a member who was suspended meanwhile', async () => {
    const { organization, caller } = await connected();
    const member = await createMember(app, organization.id);
    const code = await codeOf(member);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'suspended' });
    expect(said(await caller.command('U1', `link ${code}`))).toContain('wrong');
  });

  test('never uses email: equal addresses in Slack and here link no one', async () => {
    const { owner, caller } = await connected();
    expect(said(await caller.command('U1', `link ${owner.email}`))).toContain('wrong');
    expect(slack.calls.filter((method) => method.startsWith('users.'))).toEqual([]);
  });

  test('ends when the member is removed, and does not return with the member', async () => {
    const { organization, owner, caller } = await connected();
    const member = await createMember(app, organization.id);
    await caller.command('U1', `link ${await codeOf(member)}`);
    const code = await codeOf(member);
    expect((await owner.browser.delete(`/api/v1/members/${member.membershipId}`)).status).toBe(204);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect(said(await caller.command('U1', 'help'))).toContain('not linked to a member');
    expect(said(await caller.command('U1', `link ${code}`))).toContain('wrong');
  });

  test('ends with the notification channel of Slack, and so do the secrets', async () => {
    const { organization, owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    const channelId = String(
      (await owner.http.get('/api/v1/slack')).body['connection']?.['channel_id'],
    );
    expect((await owner.browser.delete(`/api/v1/notification_channels/${channelId}`)).status).toBe(
      204,
    );
    expect(await linkOf(owner)).toBe(null);
    expect((await caller.command('U1', 'help')).status).toBe(401);
    expect(await app.db('slack_connections').where({ organization_id: organization.id })).toEqual(
      [],
    );
  });

  test('needs a recent session, never a key', async () => {
    const { owner } = await connected();
    expect((await owner.http.post('/api/v1/me/slack/link')).body['error']?.['code']).toBe(
      'session_required',
    );
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect((await owner.browser.post('/api/v1/me/slack/link')).body['error']?.['code']).toBe(
      'reauthentication_required',
    );
  });
});

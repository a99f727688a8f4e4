/** API keys live on after a reset of the password, unless the person has them revoked. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createOrganization, type TestMember } from '../../../support/scene/factories.ts';
import { deleteAttempts } from '../../../support/scene/sign-in.ts';
import { NEW, passwordScene } from './password-scene.ts';

const { alsoIn, app, mail, memberWithPassword, requestLink } = await passwordScene();
let member: TestMember;
let elsewhere: TestMember;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await memberWithPassword();
  elsewhere = await alsoIn((await createOrganization(app)).id, member);
});

const works = async ({ http }: TestMember): Promise<boolean> =>
  (await http.get('/api/v1/me')).status === 200;
const resetWith = (token: string, more: object) =>
  app.http.post('/auth/password/reset', { token, password: NEW, ...more });

describe('the API keys of a person who resets their password', () => {
  test('are listed before, in all organizations, without those that ended', async () => {
    const token = await requestLink(member);
    const read = async () => (await app.http.get(`/auth/password/reset/${token}`)).body['api_keys'];
    const ids = [elsewhere.apiKeyId, member.apiKeyId];
    const keys = (await read()) as unknown as { id: string }[];
    expect(keys.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(keys[0]).toEqual({
      id: expect.any(String),
      name: 'test key',
      created_at: expect.any(String),
      last_used_at: null,
    });
    await app.db('api_keys').where({ id: elsewhere.apiKeyId }).update({ revoked_at: new Date() });
    expect(await read()).toMatchObject([{ id: member.apiKeyId }]);
  });

  test('live on, and an email lists them', async () => {
    expect((await resetWith(await requestLink(member), {})).status).toBe(204);
    expect([await works(member), await works(elsewhere)]).toEqual([true, true]);
    const { subject, text } = await mail.mailTo(member.email, 2);
    expect(subject).toBe('The password of your Countersign account was reset');
    expect(text).toContain('These API keys still work');
    expect(text.split('- test key')).toHaveLength(3);
  });

  test('are all revoked when the person says so', async () => {
    const answer = await resetWith(await requestLink(member), { revoke_api_keys: true });
    expect(answer.status).toBe(204);
    expect([await works(member), await works(elsewhere)]).toEqual([false, false]);
    const events = await app
      .db('audit_events')
      .where({ event_type: 'api_key.revoked' })
      .whereIn('subject_id', [member.apiKeyId, elsewhere.apiKeyId])
      .pluck('actor_id');
    expect(events.sort()).toEqual([member.membershipId, elsewhere.membershipId].sort());
    expect((await mail.mailTo(member.email, 2)).text).not.toContain('still work');
  });
});

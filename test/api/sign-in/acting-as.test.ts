/** A page acts for the person it shows, and for no other person of the same browser. */
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { errorsOf } from '../../../api/http/implied-errors.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { codeOf } from '../../support/scene/sign-in.ts';
import { everyColumn } from '../../support/secrets.ts';

const { app, owner, people, ask } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada', 'bob']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob } = people;
const OTHER = [409, 'other_person'];

const shows = (membershipId: string) => ({ 'service-acting-as': membershipId });
const approve = (id: string) => ({
  path: `/api/v1/requests/${id}/decision`,
  body: { status: 'approved' },
});

describe('an act of a page', () => {
  test('decides nothing where the session is another person’s by now', async () => {
    const id = await ask();
    const { path, body } = approve(id);
    const headers = { 'idempotency-key': id, ...shows(ada.membershipId) };
    expect(codeOf(await bob.browser.post(path, body, { headers }))).toEqual(OTHER);
    expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
    expect((await ada.browser.post(path, body, { headers })).status).toBe(200);
    expect(await app.db('decisions').where({ request_id: id }).pluck('membership_id')).toEqual([
      ada.membershipId,
    ]);
  });

  test('is refused before anything is read of it or written', async () => {
    await ask();
    const counted =
      /^(agent(_instance)?_request_days|request_count_mark|audit_(?!events)\w+)\.|\.last_(seen|used)_at$|^approval_requests\.wake_/;
    const kept = async () => (await everyColumn(app.db)).filter(({ name }) => !counted.test(name));
    await bob.browser.get('/api/v1/me');
    const before = await kept();
    for (const [method, path] of [
      ['POST', '/api/v1/agents'],
      ['PUT', '/api/v1/me/notification_settings'],
      ['DELETE', '/api/v1/me/sessions'],
    ] as const)
      for (const membershipId of [ada.membershipId, owner.membershipId, 'no membership', ''])
        expect([
          path,
          codeOf(
            await bob.browser.call(method, path, {
              headers: shows(membershipId),
              ...(method !== 'DELETE' && { body: 'no JSON' }),
            }),
          ),
        ]).toEqual([path, OTHER]);
    expect(await kept()).toEqual(before);
  });

  test('counts as before without the header, and reads never compare it', async () => {
    expect((await bob.browser.get('/api/v1/me', { headers: shows(ada.membershipId) })).status).toBe(
      200,
    );
    expect((await bob.browser.call('DELETE', '/api/v1/me/sessions')).status).toBe(204);
  });

  test('of a key is its holder’s, and the header changes nothing', async () => {
    const id = await ask();
    const { path, body } = approve(id);
    const headers = { 'idempotency-key': id, ...shows(ada.membershipId) };
    expect((await bob.http.post(path, body, { headers })).status).toBe(200);
  });

  test('can be refused so wherever a session changes something, and nowhere else', () => {
    const declared = endpoints.filter((each) => errorsOf(each).includes('other_person'));
    const changing = endpoints.filter(
      ({ auth, method }) => ['product', 'member', 'session'].includes(auth) && method !== 'get',
    );
    expect(declared).toEqual(changing);
    expect(declared.length).toBeGreaterThan(50);
  });
});

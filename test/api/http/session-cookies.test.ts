/** What signing out removes from a browser. */
import { expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { twoSessions } from '../../support/scene/sign-in.ts';

const app = await appForFile();

test('comes with signing out and with ending the current session, and not with ending another', async () => {
  const { owner } = await createOrganization(app);
  const [session, another] = await twoSessions(app, owner);
  const end = async (id: string) => {
    const { status, headers } = await owner.browser.delete(`/api/v1/me/sessions/${id}`);
    return [status, headers['clear-site-data']];
  };
  expect(await end(another)).toEqual([204, undefined]);
  expect(await end(session)).toEqual([204, '"cache", "storage"']);
  const left = await owner.browser.post('/auth/logout');
  expect([left.status, left.headers['clear-site-data']]).toEqual([204, '"cache", "storage"']);
});

/** A wait for any change since a reviewer read a request. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { until } from '../../../support/waiting.ts';

const { app, people, ...verbs } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { usual: [['ada'], ['bob']] },
  pipelines: { bot: 'usual' },
});
const { ask, addReviewers, claim, decide, later, release } = verbs;
const { ada, bob } = people;

const at = (id: string, query = '') => `/api/v1/requests/${id}${query}`;

/** Parks a wait for a change since the last read, then makes the change. */
async function changed(id: string, happens: () => Promise<unknown>) {
  const before = (await ada.browser.get(at(id))).body;
  const waiting = ada.browser.get(at(id, `?wait=30s&since=${String(before['updated_at'])}`));
  await until('the wait is parked', () => app.context.changes.waitedForAnyChange().length > 0);
  await happens();
  const { status, body } = await waiting;
  expect(status).toBe(200);
  expect(body).not.toEqual(before);
  expect(app.context.changes.waitedForAnyChange()).toEqual([]);
  return body;
}

test('ends with a claim, its release, a notified level, an added reviewer and the decision', async () => {
  const id = await ask();
  expect(await changed(id, () => claim(bob, id))).toMatchObject({
    claim: { membership_id: bob.membershipId },
    can_claim: false,
    cannot_reason: 'claim_held',
  });
  expect(await changed(id, () => release(bob, id))).not.toHaveProperty('claim');
  await changed(id, () => addReviewers(ada, id, [bob]));
  // No call announces a step. The look once a second at all waits finds it.
  await changed(id, () => later(id));
  expect(await changed(id, () => decide(bob, id))).toMatchObject({
    status: 'approved',
    cannot_reason: 'already_terminal',
  });
});

test('is over at once after a change, and after the answer', async () => {
  const id = await ask();
  const { updated_at: since } = (await ada.browser.get(at(id))).body;
  await claim(bob, id);
  const changedBefore = await ada.browser.get(at(id, `?wait=30s&since=${String(since)}`));
  expect(changedBefore.body).toHaveProperty('claim');
  const last = (await decide(bob, id)).body['request']?.['updated_at'];
  const decided = await ada.browser.get(at(id, `?wait=30s&since=${String(last)}`));
  expect(decided.body['status']).toBe('approved');
});

test('answers the request unchanged when nothing happens', async () => {
  const id = await ask();
  const { body } = await ada.browser.get(at(id));
  const { updated_at: since } = body;
  const waited = await ada.browser.get(at(id, `?wait=1s&since=${String(since)}`));
  expect(waited.body).toEqual(body);
  expect((await ada.browser.get(at(id, '?since=yesterday'))).status).toBe(400);
});

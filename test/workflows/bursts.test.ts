/** Calls to Temporal that no caller waits for do not hold up one that a caller waits for. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';

const SIGNALS = 200;

let app: TestApp;
beforeAll(async () => {
  // The calls themselves are measured, so no worker runs the workflows.
  app = await startApp({ temporal: true, worker: false });
});
afterAll(async () => {
  await app.close();
});

const subject = () => ({
  id: randomUUID(),
  organizationId: randomUUID(),
  agentSlug: 'bot',
  tool: 'deploy',
});

test('a start is made before most of the signals of a burst that came earlier, and each signal is made', async () => {
  const { workflows } = app.context;
  const cancelled = Array.from({ length: SIGNALS }, subject);
  await Promise.all(cancelled.map((each) => workflows.start(each)));
  const state = { signalled: 0 };
  const signals = cancelled.map(async ({ id }) => {
    await workflows.signal(id, 'cancel');
    state.signalled++;
  });
  await workflows.start(subject());
  expect(state.signalled).toBeLessThan(SIGNALS / 2);
  await Promise.all(signals);
  expect(state.signalled).toBe(SIGNALS);
});

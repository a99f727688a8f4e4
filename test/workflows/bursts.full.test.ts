/** Calls to Temporal that no caller waits for do not hold up one that a caller waits for. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { eventsOf } from '../support/temporal.ts';
import { appForFile } from '../support/scene.ts';

const SIGNALS = 200;

// The calls themselves are measured, so no worker runs the workflows.
const app = await appForFile({ temporal: true, worker: false });
const subject = () => ({
  id: randomUUID(),
  organizationId: randomUUID(),
  agentSlug: 'bot',
  tool: 'deploy',
});

test('of the signals of one workflow that wait, the one with the final answer is sent', async () => {
  const { workflows } = app.context;
  const [busy, decided] = [subject(), subject()];
  await Promise.all([busy, decided].map((each) => workflows.start(each)));
  const sent = await Promise.all([
    workflows.signal(busy.id, 'claim'),
    workflows.signal(decided.id, 'claim'),
    workflows.signal(decided.id, 'decision', 'denied'),
    workflows.signal(decided.id, 'changed'),
  ]);
  expect(sent[2]).toBe(true);
  const signals = (await eventsOf(app, decided.id)).flatMap(
    ({ workflowExecutionSignaledEventAttributes: signal }) => (signal ? [signal] : []),
  );
  expect(signals.map(({ signalName }) => signalName)).toEqual(['decision']);
  const [carried] = signals[0]?.input?.payloads ?? [];
  expect(carried && defaultPayloadConverter.fromPayload(carried)).toEqual({ status: 'denied' });
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

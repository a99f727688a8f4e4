/** How a request ends: callers that wait for it, the adapter that cancels it, and calls at the same moment, of which one wins. */
import { describe, expect, test } from '@jest/globals';
import { errorOf, requestOf, type AdapterResponse } from '../../../support/adapter.ts';
import type { ApprovalRequest } from '../../../support/adapter/approval-request.ts';
import type { ApiResponse } from '../../../support/http.ts';
import { outcome } from '../../../support/refusals.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { until } from '../../../support/waiting.ts';
import { submission } from './submissions.ts';

const { app, owner, people, agents, decide, read, verbsOf } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const { adapter } = agents.bot;

const pending = async (): Promise<string> => {
  const request = requestOf(await adapter.create(submission()));
  expect(request.status).toBe('pending');
  return request.id;
};

/** On a busy machine a deadline may come before the answer. So this asks until one is later. */
const brieflyPending = async (timeout: string): Promise<string> => {
  for (;;) {
    const created = await adapter.create(submission({ timeout: `"${timeout}"` }));
    const { id, status } = requestOf(created);
    if (status === 'pending') return id;
    expect(status).toBe('expired');
  }
};

const parked = (id: string) =>
  until('the wait is parked', () => app.context.changes.waitedFor().includes(id));

/** The work ends before a wait of thirty seconds that was parked first. So no wait in it has run its full time. */
async function beforeAWaitEnds<Result>(work: () => Promise<Result>): Promise<Result> {
  const id = await pending();
  const endless = adapter.get(id, { wait: '30s' });
  await parked(id);
  const result = await work();
  expect(app.context.changes.waitedFor()).toContain(id);
  await adapter.cancel(id);
  await endless;
  return result;
}

describe('waiting for an answer', () => {
  test('is not needed for expiry: a plain read expires a request past its deadline', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => brieflyPending('2s')));
    await adapter.get(ids[0] ?? '', { wait: '30s' });
    // The strict adapter refuses an answer that is pending a second after its deadline.
    const answers = await Promise.all(ids.map((id) => adapter.get(id, { wait: '5s' })));
    expect(answers.map((answer) => requestOf(answer).status)).toEqual(ids.map(() => 'expired'));
  });

  test('times out with the request still pending', async () => {
    const id = await pending();
    const answer = await beforeAWaitEnds(() => adapter.get(id, { wait: '1s' }));
    expect(requestOf(answer).status).toBe('pending');
  });
});

describe('cancelling a request', () => {
  test('is refused once the request has expired, and changes nothing', async () => {
    const id = await brieflyPending('1s');
    const before = await adapter.get(id, { wait: '30s' });
    expect(requestOf(before).status).toBe('expired');
    expect(errorOf(await adapter.cancel(id)).error.code).toBe('already_terminal');
    expect((await adapter.get(id)).text).toBe(before.text);
  });
});

const rounds = (round: (index: number) => Promise<unknown>): Promise<unknown[]> =>
  Promise.all(Array.from({ length: ROUNDS }, (_, index) => round(index)));

/** A request, and a wait that is parked before anything else is done. */
async function begin(
  timeout: string,
): Promise<{ id: string; deadline_at: string; wait: Promise<AdapterResponse> }> {
  const { id, deadline_at } = requestOf(
    await adapter.create(submission({ timeout: `"${timeout}"` })),
  );
  return { id, deadline_at, wait: adapter.get(id, { wait: '30s' }) };
}

/**
 * Resolves at the instant, as precisely as a timer can. Both sides of a race must start together.
 */
const at = (instant: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, instant - Date.now()));

/**
 * Spread out, so that some rounds come before the deadline and some after, however slow the
 * machine.
 */
const aroundDeadline = (deadline: string, index: number): number =>
  Date.parse(deadline) - 15 * (ROUNDS - 1 - index);

/** The final answer, which must be the same for a parked wait, a read and a replayed read. */
async function finalOutcome(
  id: string,
  parked: Promise<AdapterResponse>,
): Promise<ApprovalRequest> {
  const answers = await Promise.all([parked, adapter.get(id, { wait: '10s' }), adapter.get(id)]);
  const last = await adapter.get(id);
  expect(answers.map(({ text }) => text)).toEqual(answers.map(() => last.text));
  const shown = await read(id);
  expect(shown).toMatchObject({
    status: requestOf(last).status,
    decision: { status: requestOf(last).status },
  });
  const terminal = (await verbsOf(id)).filter((verb) =>
    /^(approved|denied|expired|cancelled)$/.test(verb),
  );
  expect(terminal).toEqual([requestOf(last).status]);
  return requestOf(last);
}

const won = (answer: { readonly status: number }): boolean => answer.status === 200;
const lost = (answer: ApiResponse): void => {
  expect(outcome(answer)).toBe('409 already_terminal');
};

describe('exactly one outcome', () => {
  test('when a person decides, the adapter cancels, or both do, at the deadline', async () => {
    const atDeadline = (act: (id: string) => Promise<string>) =>
      rounds(async (index) => {
        const { id, deadline_at, wait } = await begin('3s');
        await at(aroundDeadline(deadline_at, index));
        const status = await act(id);
        expect((await finalOutcome(id, wait)).status).toBe(status);
      });
    const decides = async (id: string) => {
      const decided = await decide(owner, id);
      if (!won(decided)) lost(decided);
      return won(decided) ? 'approved' : 'expired';
    };
    const cancels = async (id: string) => (won(await adapter.cancel(id)) ? 'cancelled' : 'expired');
    const everything = async (id: string) => {
      const answers = await Promise.all([
        decide(owner, id),
        decide(ada, id, { status: 'denied' }),
        adapter.cancel(id),
        adapter.get(id),
      ]);
      const winners = ['approved', 'denied', 'cancelled'].filter(
        (_, n) => answers[n]?.status === 200,
      );
      expect(winners.length).toBeLessThanOrEqual(1);
      return winners[0] ?? 'expired';
    };
    await Promise.all([decides, cancels, everything].map(atDeadline));
  });
});

/** Concurrent calls: exactly one of them wins. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestOf, type Adapter, type Answer } from '../../../support/adapter.ts';
import type { ApprovalRequest } from '../../../support/adapter/approval-request.ts';
import { startProvider, type DecisionAnswer, type Provider } from './provider.ts';
import { submission } from './submissions.ts';

const ROUNDS = 20;

let provider: Provider;
let adapter: Adapter;

beforeAll(async () => {
  provider = await startProvider();
  ({ adapter } = await provider.instance());
});
afterAll(async () => {
  await provider.stop();
});

const rounds = (round: (index: number) => Promise<string>): Promise<string[]> =>
  Promise.all(Array.from({ length: ROUNDS }, (_, index) => round(index)));

/**
 * On a busy machine a short timeout may end before the create is answered. Then there is no race.
 */
const create = async (timeout: string): Promise<ApprovalRequest> =>
  requestOf(await adapter.create(submission({ timeout: `"${timeout}"` })));

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
async function finalOutcome(id: string, parked: Promise<Answer>): Promise<ApprovalRequest> {
  const answers = await Promise.all([parked, adapter.get(id, { wait: '10s' }), adapter.get(id)]);
  const last = await adapter.get(id);
  expect(answers.map(({ text }) => text)).toEqual(answers.map(() => last.text));
  const shown = await provider.review(id);
  expect(shown).toMatchObject({
    status: requestOf(last).status,
    decision: { status: requestOf(last).status },
  });
  const terminal = (await provider.auditEvents(id)).filter((type) =>
    /\.(approved|denied|expired|cancelled)$/.test(type),
  );
  expect(terminal).toEqual([`approval_request.${requestOf(last).status}`]);
  return requestOf(last);
}

const won = (answer: { readonly status: number }): boolean => answer.status === 200;
const lost = (answer: DecisionAnswer): void => {
  expect([answer.status, answer.code]).toEqual([409, 'already_terminal']);
};

describe('exactly one outcome', () => {
  test('when two people decide at once', async () => {
    await rounds(async (index) => {
      const { id } = await create('1h');
      const parked = adapter.get(id, { wait: '20s' });
      const [first, second] =
        index % 2 ? (['approved', 'denied'] as const) : (['denied', 'approved'] as const);
      const answers = await Promise.all([
        provider.decide(id, first),
        provider.decide(id, second, { by: provider.reviewer }),
      ]);
      expect(answers.filter(won)).toHaveLength(1);
      answers.filter((answer) => !won(answer)).forEach(lost);
      const { status } = await finalOutcome(id, parked);
      expect(status).toBe(won(answers[0]) ? first : second);
      return status;
    });
  });

  test('when ten decisions arrive at once', async () => {
    const { id } = await create('1h');
    const parked = adapter.get(id, { wait: '20s' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        provider.decide(id, index % 2 ? 'approved' : 'denied'),
      ),
    );
    expect(answers.filter(won)).toHaveLength(1);
    answers.filter((answer) => !won(answer)).forEach(lost);
    await finalOutcome(id, parked);
  });

  test('when a person decides while the adapter cancels', async () => {
    await rounds(async (index) => {
      const { id } = await create('1h');
      const parked = adapter.get(id, { wait: '20s' });
      const decide = () => provider.decide(id, 'approved');
      const cancel = () => adapter.cancel(id);
      const [decided, cancelled] =
        index % 2
          ? await Promise.all([decide(), cancel()])
          : ((await Promise.all([cancel(), decide()])).reverse() as [DecisionAnswer, Answer]);
      expect([won(decided), won(cancelled)].filter(Boolean)).toHaveLength(1);
      const { status } = await finalOutcome(id, parked);
      expect(status).toBe(won(decided) ? 'approved' : 'cancelled');
      return status;
    });
  });

  test('when a person decides at the deadline', async () => {
    await rounds(async (index) => {
      const { id, deadline_at } = await create('3s');
      const parked = adapter.get(id, { wait: '20s' });
      await at(aroundDeadline(deadline_at, index));
      const decided = await provider.decide(id, 'approved');
      const request = await finalOutcome(id, parked);
      expect(request.status).toBe(won(decided) ? 'approved' : 'expired');
      if (!won(decided)) lost(decided);
      return request.status;
    });
  });

  test('when the adapter cancels at the deadline', async () => {
    await rounds(async (index) => {
      const { id, deadline_at } = await create('3s');
      const parked = adapter.get(id, { wait: '20s' });
      await at(aroundDeadline(deadline_at, index));
      const cancelled = await adapter.cancel(id);
      const { status } = await finalOutcome(id, parked);
      expect(status).toBe(won(cancelled) ? 'cancelled' : 'expired');
      return status;
    });
  });

  test('when everything happens at once', async () => {
    await rounds(async (index) => {
      const { id, deadline_at } = await create('3s');
      const parked = adapter.get(id, { wait: '20s' });
      await at(aroundDeadline(deadline_at, index));
      const answers = await Promise.all([
        provider.decide(id, 'approved'),
        provider.decide(id, 'denied'),
        adapter.cancel(id),
        adapter.get(id),
      ]);
      expect(answers.slice(0, 3).filter(won).length).toBeLessThanOrEqual(1);
      const { status } = await finalOutcome(id, parked);
      const winners = ['approved', 'denied', 'cancelled'].filter(
        (_, index) => answers[index]?.status === 200,
      );
      expect(status).toBe(winners[0] ?? 'expired');
      return status;
    });
  });
});

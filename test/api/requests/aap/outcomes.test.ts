/** How a request ends: callers that wait for it, the adapter that cancels it, and calls at the same moment, of which one wins. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { waitQuery } from '../../../../api/http/schema.ts';
import { errorOf, requestOf, type AdapterResponse } from '../../../support/adapter.ts';
import type { ApprovalRequest } from '../../../support/adapter/approval-request.ts';
import type { ApiResponse } from '../../../support/http.ts';
import { outcome } from '../../../support/refusals.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { until } from '../../../support/waiting.ts';
import { submission } from './submissions.ts';

const { app, owner, people, agents, agent, decide, read, verbsOf } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const { adapter, credential } = agents.bot;

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
  test.each(['approved', 'denied'] as const)('ends as soon as a person has %s', async (status) => {
    const id = await pending();
    const answers = await beforeAWaitEnds(async () => {
      const waits = Promise.all(Array.from({ length: 5 }, () => adapter.get(id, { wait: '30s' })));
      await parked(id);
      expect((await decide(owner, id, { status, note: 'as you wish' })).status).toBe(200);
      return await waits;
    });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map((answer) => requestOf(answer).decision?.note)).toEqual(
      answers.map(() => 'as you wish'),
    );
  });

  test('ends as soon as the request is cancelled', async () => {
    const id = await pending();
    const [waited, cancelled] = await beforeAWaitEnds(() =>
      Promise.all([adapter.get(id, { wait: '30s' }), parked(id).then(() => adapter.cancel(id))]),
    );
    expect(requestOf(waited).status).toBe('cancelled');
    expect(waited.text).toBe(cancelled.text);
  });

  test('ends with the deadline, and the expiry is recorded by then', async () => {
    const id = await brieflyPending('1s');
    const request = requestOf(await beforeAWaitEnds(() => adapter.get(id, { wait: '30s' })));
    expect(request.status).toBe('expired');
    expect(Date.parse(request.decision?.decided_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(request.deadline_at),
    );
  });

  test('is skipped without the parameter and for a terminal request', async () => {
    await beforeAWaitEnds(async () => {
      const id = await pending();
      await adapter.get(id);
      await adapter.cancel(id);
      for (const wait of ['20s', '30s', '31s', '1000h', `${'9'.repeat(100)}h`])
        expect(requestOf(await adapter.get(id, { wait })).status).toBe('cancelled');
    });
  });

  test('treats everything above thirty seconds as thirty', () => {
    const query = waitQuery();
    expect(
      ['1s', '30s', '31s', '1m', '1h', `${'9'.repeat(100)}h`].map((wait) => query.parse(wait)),
    ).toEqual([1_000, 30_000, 30_000, 30_000, 30_000, 30_000]);
  });

  test('ends in 401 when the credential was revoked meanwhile', async () => {
    const revoked = await agent();
    const { id } = requestOf(await revoked.adapter.create(submission()));
    const waiting = revoked.adapter.get(id, { wait: '30s' });
    await parked(id);
    const revocation = await owner.http.delete(`/api/v1/agent-credentials/${revoked.credentialId}`);
    expect(revocation.status).toBe(204);
    expect((await decide(owner, id)).status).toBe(200);
    expect(errorOf(await waiting).status).toBe(401);
  });

  test('continues when other callers hang up', async () => {
    const id = await pending();
    const headers = { Authorization: `Bearer ${credential}` };
    const hangUp = new AbortController();
    const impatient = Array.from({ length: 5 }, () =>
      fetch(`${app.url}/api/aap/v1/requests/${id}?wait=30s`, {
        headers,
        signal: hangUp.signal,
      }).catch(() => 0),
    );
    const patient = adapter.get(id, { wait: '30s' });
    await parked(id);
    hangUp.abort();
    await Promise.all(impatient);
    const [answer] = await Promise.all([patient, decide(owner, id, { status: 'denied' })]);
    expect(requestOf(answer).status).toBe('denied');
  });
});

describe('cancelling a request', () => {
  test('answers 200 with the cancelled request, and again with the same body', async () => {
    const id = await pending();
    const first = await adapter.cancel(id);
    expect(requestOf(first).status).toBe('cancelled');
    const again = await Promise.all([adapter.cancel(id), adapter.cancel(id), adapter.get(id)]);
    expect(again.map(({ status, text }) => [status, text])).toEqual(
      again.map(() => [200, first.text]),
    );
  });

  test('answers every one of five simultaneous cancels with the same body', async () => {
    const id = await pending();
    const answers = await Promise.all(Array.from({ length: 5 }, () => adapter.cancel(id)));
    expect(new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
  });

  test('shows reviewers a decision by the adapter', async () => {
    const id = await pending();
    await adapter.cancel(id);
    const shown = await read(id);
    expect(shown).toMatchObject({
      status: 'cancelled',
      decision: {
        status: 'cancelled',
        channel: 'aap',
        idempotency_key: `aap:${id}`,
        authentication: { method: 'agent_credential', assurance: 'single_factor' },
      },
    });
    expect(shown['decision']).not.toHaveProperty('membership_id');
    expect((await decide(owner, id)).status).toBe(409);
  });

  test.each(['approved', 'denied'] as const)(
    'is refused once a person has %s, and changes nothing',
    async (status) => {
      const id = await pending();
      await decide(owner, id, { status });
      const before = await adapter.get(id);
      const refused = errorOf(await adapter.cancel(id));
      expect([refused.status, refused.error.type, refused.error.code]).toEqual([
        409,
        'conflict',
        'already_terminal',
      ]);
      expect((await adapter.get(id)).text).toBe(before.text);
    },
  );

  test('gives the same answer for a foreign, an unknown and a malformed id', async () => {
    const other = await agent();
    const { id } = requestOf(await other.adapter.create(submission()));
    const answers = await Promise.all(
      [id, randomUUID(), 'nonsense', '%00'].map((each) => adapter.cancel(each)),
    );
    const shown = answers
      .map(errorOf)
      .map(({ status, error }) => [status, error.type, error.code, error.message, error.details]);
    expect(new Set(shown.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(shown[0]?.[0]).toBe(404);
    expect(requestOf(await other.adapter.get(id)).status).toBe('pending');
  });

  test('needs no body, ignores one, and takes no idempotency key', async () => {
    const id = await pending();
    const path = `/api/aap/v1/requests/${id}`;
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'anything' };
    expect(
      (await adapter.raw('DELETE', path, { headers, body: '{"reason":"bored"}' })).status,
    ).toBe(200);
    expect(requestOf(await adapter.get(id)).status).toBe('cancelled');
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
  test('when two people decide at once', async () => {
    await rounds(async (index) => {
      const { id, wait } = await begin('1h');
      const [first, second] =
        index % 2 ? (['approved', 'denied'] as const) : (['denied', 'approved'] as const);
      const answers = await Promise.all([
        decide(owner, id, { status: first }),
        decide(ada, id, { status: second }),
      ]);
      expect(answers.filter(won)).toHaveLength(1);
      answers.filter((answer) => !won(answer)).forEach(lost);
      const { status } = await finalOutcome(id, wait);
      expect(status).toBe(won(answers[0]) ? first : second);
    });
  });

  test('when ten decisions arrive at once', async () => {
    const { id, wait } = await begin('1h');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        decide(owner, id, { status: index % 2 ? 'approved' : 'denied' }),
      ),
    );
    expect(answers.filter(won)).toHaveLength(1);
    answers.filter((answer) => !won(answer)).forEach(lost);
    await finalOutcome(id, wait);
  });

  test('when a person decides while the adapter cancels', async () => {
    await rounds(async (index) => {
      const { id, wait } = await begin('1h');
      const calls = { decided: () => decide(owner, id), cancelled: () => adapter.cancel(id) };
      const cancelFirst = index % 2 ? undefined : calls.cancelled();
      const [decided, cancelled] = await Promise.all([
        calls.decided(),
        cancelFirst ?? calls.cancelled(),
      ]);
      expect([won(decided), won(cancelled)].filter(Boolean)).toHaveLength(1);
      expect((await finalOutcome(id, wait)).status).toBe(won(decided) ? 'approved' : 'cancelled');
    });
  });
});

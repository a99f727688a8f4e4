import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../web/src/shell/api.ts';
import {
  denyEach,
  type Denials,
  type Outcome,
} from '../../../web/src/areas/requests/queue/batch-deny/deny-each.ts';

const refusal = (status: number, code: string, retryAfterSeconds?: number): ApiError =>
  new ApiError({
    ...{ status, code, message: `the service says ${code}`, details: {}, requestId: undefined },
    retryAfterSeconds,
  });

/** Sends are answered in turn: by nothing for a success, or by an error. */
function scene(answers: Readonly<Record<string, readonly (ApiError | undefined)[]>>) {
  const stop = new AbortController();
  const sent: string[] = [];
  const pauses: number[] = [];
  const outcomes = new Map<string, Outcome>();
  let underWay = 0;
  const denials: Denials = {
    ids: Object.keys(answers),
    send: async (id) => {
      underWay += 1;
      expect(underWay).toBe(1);
      await Promise.resolve();
      underWay -= 1;
      const answer = answers[id]?.[sent.filter((each) => each === id).length];
      sent.push(id);
      if (answer) throw answer;
    },
    findAnswer: async (id) =>
      await Promise.resolve(
        id.startsWith('answered') ? { status: 'approved', by: 'Bob' } : undefined,
      ),
    report: (id, outcome) => {
      outcomes.set(id, outcome);
    },
    pause: async (ms) => {
      pauses.push(ms);
      await Promise.resolve();
    },
    signal: stop.signal,
  };
  const kinds = () => [...outcomes].map(([id, { kind }]) => [id, kind]);
  return { denials, sent, pauses, outcomes, kinds, stop };
}

describe('denials of several requests', () => {
  test('are sent one after another, and each has an outcome of its own', async () => {
    const { denials, sent, outcomes } = scene({
      a: [undefined],
      answered: [refusal(409, 'already_terminal')],
      forbidden: [refusal(403, 'request_not_routed')],
      odd: [refusal(409, 'request_evaluating')],
      z: [undefined],
    });
    await denyEach(denials);
    expect(sent).toEqual(['a', 'answered', 'forbidden', 'odd', 'z']);
    expect([...outcomes.values()]).toEqual([
      { kind: 'denied' },
      { kind: 'answered', status: 'approved', by: 'Bob' },
      { kind: 'forbidden' },
      { kind: 'failed', message: 'the service says request_evaluating' },
      { kind: 'denied' },
    ]);
  });

  test('try again what may have been decided, as long as the service asks for', async () => {
    const { denials, sent, pauses, kinds } = scene({
      a: [
        refusal(0, 'network'),
        refusal(503, 'unavailable'),
        refusal(429, 'limited', 7),
        undefined,
      ],
      b: [undefined],
    });
    await denyEach(denials);
    expect(sent).toEqual(['a', 'a', 'a', 'a', 'b']);
    expect(pauses).toEqual([1_000, 2_000, 7_000]);
    expect(kinds()).toEqual([
      ['a', 'denied'],
      ['b', 'denied'],
    ]);
  });

  test('stop after the one under way', async () => {
    const { denials, kinds, stop } = scene({ a: [undefined], b: [undefined], c: [undefined] });
    const report: Denials['report'] = (id, outcome) => {
      denials.report(id, outcome);
      if (id === 'b' && outcome.kind === 'sending') stop.abort();
    };
    await denyEach({ ...denials, report });
    expect(kinds()).toEqual([
      ['a', 'denied'],
      ['b', 'denied'],
    ]);
  });

  test('stopped without an answer, leave open whether the service decided', async () => {
    const { denials, kinds, stop } = scene({ a: [refusal(0, 'network')], b: [undefined] });
    const pause = () => {
      stop.abort();
      return Promise.resolve();
    };
    await denyEach({ ...denials, pause });
    expect(kinds()).toEqual([['a', 'unconfirmed']]);
  });

  test.each(['cancelled', 'mfa_required'])(
    'end with %s, which concerns all of them',
    async (code) => {
      const { denials, sent, outcomes } = scene({ a: [refusal(403, code)], b: [undefined] });
      await expect(denyEach(denials)).rejects.toMatchObject({ code });
      expect(sent).toEqual(['a']);
      expect(outcomes.get('a')?.kind).toBe('failed');
    },
  );

  test('are sent again after one 401, and end with the second', async () => {
    const signedOut = refusal(401, 'authentication_required');
    const { denials, sent, kinds } = scene({
      a: [signedOut, undefined],
      b: [signedOut, signedOut],
      c: [undefined],
    });
    await expect(denyEach(denials)).rejects.toBe(signedOut);
    expect(sent).toEqual(['a', 'a', 'b', 'b']);
    expect(kinds()).toEqual([
      ['a', 'denied'],
      ['b', 'failed'],
    ]);
  });
});

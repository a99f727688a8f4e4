import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../web/src/shared/api/api.ts';
import {
  denyEach,
  type Denials,
  type Outcome,
} from '../../../web/src/areas/requests/queue/batch-deny/deny-each.ts';

const refusal = (status: number, code: string): ApiError =>
  new ApiError({
    status,
    code,
    message: `the service says ${code}`,
    details: {},
    requestId: undefined,
  });

/** By id: what the service answers, undefined for a success. */
function scene(answers: Readonly<Record<string, ApiError | undefined>>) {
  const stop = new AbortController();
  const sent: string[] = [];
  const outcomes = new Map<string, Outcome>();
  let underWay = 0;
  const denials: Denials = {
    ids: Object.keys(answers),
    send: async (id) => {
      sent.push(id);
      underWay += 1;
      expect(underWay).toBe(1);
      await Promise.resolve();
      underWay -= 1;
      const answer = answers[id];
      if (answer) throw answer;
    },
    findDecision: async (id) =>
      await Promise.resolve(
        id.startsWith('answered') ? { status: 'approved', by: 'Bob' } : undefined,
      ),
    report: (id, outcome) => {
      outcomes.set(id, outcome);
    },
    signal: stop.signal,
  };
  const kinds = () => [...outcomes].map(([id, { kind }]) => [id, kind]);
  return { denials, sent, outcomes, kinds, stop };
}

describe('denials of several requests', () => {
  test('are sent one after another, and each has an outcome of its own', async () => {
    const { denials, sent, outcomes } = scene({
      a: undefined,
      answered: refusal(409, 'already_terminal'),
      forbidden: refusal(403, 'request_not_routed'),
      odd: refusal(409, 'request_evaluating'),
      z: undefined,
    });
    await denyEach(denials);
    expect(sent).toEqual(['a', 'answered', 'forbidden', 'odd', 'z']);
    expect([...outcomes.values()]).toEqual([
      { kind: 'denied' },
      { kind: 'decided', status: 'approved', by: 'Bob' },
      { kind: 'forbidden' },
      { kind: 'failed', message: 'the service says request_evaluating' },
      { kind: 'denied' },
    ]);
  });

  test('say while one is tried again', async () => {
    const { denials, outcomes } = scene({ a: undefined });
    let shown: Outcome | undefined;
    const send: Denials['send'] = (id, onRetry) => {
      onRetry();
      shown = outcomes.get(id);
      return Promise.resolve();
    };
    await denyEach({ ...denials, send });
    expect(shown).toEqual({ kind: 'sending', isRetry: true });
    expect(outcomes.get('a')).toEqual({ kind: 'denied' });
  });

  test('stop after the one under way', async () => {
    const { denials, kinds, stop } = scene({ a: undefined, b: undefined, c: undefined });
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

  test.each([0, 429, 503])(
    'stopped after a try that ended with %i, leave open whether the service decided',
    async (status) => {
      const { denials, kinds, stop } = scene({ a: refusal(status, 'any'), b: undefined });
      const send: Denials['send'] = async (id, onRetry) => {
        stop.abort();
        await denials.send(id, onRetry);
      };
      await denyEach({ ...denials, send });
      expect(kinds()).toEqual([['a', 'unconfirmed']]);
    },
  );

  test.each([
    [401, 'authentication_required'],
    [403, 'cancelled'],
    [403, 'mfa_required'],
  ])('end with a %i %s, which concerns all of them', async (status, code) => {
    const { denials, sent, outcomes } = scene({ a: refusal(status, code), b: undefined });
    await expect(denyEach(denials)).rejects.toMatchObject({ code });
    expect(sent).toEqual(['a']);
    expect(outcomes.get('a')?.kind).toBe('failed');
  });
});

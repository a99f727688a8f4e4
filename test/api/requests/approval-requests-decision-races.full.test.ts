/** A deadline or the end of a claim comes between the statements of a decision: the answer is as if it had come first. */
import { describe, expect, test } from '@jest/globals';
import type { ApiResponse, HttpClient } from '../../support/http.ts';
import { through, type Gate } from '../../support/gates.ts';
import { outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';

const { app, owner, people, ...verbs } = await scene({
  people: { bob: REVIEWER },
  paths: { levels: [['bob']] },
  pipelines: { bot: 'levels' },
});
const { ask, decide, claimed, verbsOf } = verbs;
const { bob } = people;

const DECIDING = 'from organizations o';

/** The answer to a decision during which this happens. */
async function decideDuring(
  client: HttpClient,
  id: string,
  gate: Omit<Gate, 'of'>,
): Promise<ApiResponse> {
  return await through(app, { ...gate, of: DECIDING }, () => decide(client, id));
}

describe('time passes before the statement that decides', () => {
  /** After the request was read for the decision, even when the machine is busy. */
  const soon = () => new Date(Date.now() + 10_000);
  const passed = (instant: Date) => until('the instant has passed', () => Date.now() > +instant);

  test('up to the deadline: the request expires', async () => {
    const id = await ask();
    const deadline_at = soon();
    await app.db('approval_requests').where({ id }).update({ deadline_at });
    const happens = () => passed(deadline_at);
    expect(await decideDuring(bob.http, id, { at: 'before', happens })).toMatchObject({
      status: 409,
      body: { error: { code: 'already_terminal', details: { status: 'expired' } } },
    });
  });

  test('up to the end of a claim: the lapse is recorded first', async () => {
    const id = await ask();
    await claimed(owner, id);
    const expires_at = soon();
    await app.db('claims').where({ request_id: id }).update({ expires_at });
    const happens = () => passed(expires_at);
    expect(outcome(await decideDuring(bob.http, id, { at: 'before', happens }))).toBe('200');
    expect((await verbsOf(id)).slice(-3)).toEqual(['claimed', 'claim_lapsed', 'approved']);
  });
});

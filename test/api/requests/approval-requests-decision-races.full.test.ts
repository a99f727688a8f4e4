/** A deadline or the end of a claim comes between the statements of a decision: the answer is as if it had come first. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { ApiResponse, HttpClient } from '../../support/http.ts';
import { through, type Gate } from '../../support/gates.ts';
import { outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';

const { app, owner, people, ...verbs } = await scene({
  people: { bob: REVIEWER },
  paths: { levels: [['bob']] },
  pipelines: { bot: 'levels', free: {} },
});
const { ask, decide, claimed, verbsOf, person } = verbs;
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

/** By how many milliseconds the decision comes first, one round each. */
const HEAD_STARTS_MS = Array.from({ length: 30 }, (_, round) => 2 * round - 20);

/** Runs `work` while each decision takes 30 ms to write, so that something else can end within them. */
async function whileDecidingIsSlow(work: () => Promise<void>): Promise<void> {
  await app.db.raw(`create function decide_slowly() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.03); return new; end $$`);
  await app.db.raw(`create trigger decide_slowly before insert on decisions
    for each row execute function decide_slowly()`);
  try {
    await work();
  } finally {
    await app.db.raw('drop function decide_slowly cascade');
  }
}

test('once someone has signed out, no decision of theirs is written any more', async () => {
  const outcomes = new Set<string>();
  await whileDecidingIsSlow(async () => {
    for (const headStartMs of HEAD_STARTS_MS) {
      const member = await person(REVIEWER);
      const id = await ask({ agent: 'free' });
      const decisions = app.db('decisions').where({ request_id: id });
      const deciding = delay(Math.max(0, -headStartMs)).then(() => decide(member.browser, id));
      await delay(Math.max(0, headStartMs));
      expect((await member.browser.post('/auth/logout')).status).toBe(204);
      const whenSignedOut = await decisions.clone().pluck('status');
      const decided = outcome(await deciding);
      expect([decided, whenSignedOut]).toEqual(
        decided === '200' ? ['200', ['approved']] : ['401 authentication_required', []],
      );
      expect(await decisions.clone().pluck('status')).toEqual(whenSignedOut);
      outcomes.add(decided);
    }
  });
  // Otherwise nothing has raced.
  expect([...outcomes].toSorted()).toEqual(['200', '401 authentication_required']);
});

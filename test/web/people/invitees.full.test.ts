import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../web/src/shared/api/api.ts';
import {
  MOST_INVITEES,
  readInvitees,
  type LeftOutReason,
} from '../../../web/src/areas/people/invitations/invitees.ts';
import { sendEach, type Outcome } from '../../../web/src/areas/people/invitations/send-each.ts';

const known = {
  members: new Set(['mia@example.com']),
  invited: new Set(['ian@example.com']),
};

describe('a pasted list of addresses', () => {
  test.each([
    ['ada@example.com', ['ada@example.com']],
    ['Ada <ada@example.com>', ['ada@example.com Ada']],
    [
      '"Reyes, Ada" <ada@example.com>, bob@example.com',
      ['ada@example.com Reyes, Ada', 'bob@example.com'],
    ],
    ['Reyes, Ada <ada@example.com>', ['ada@example.com Reyes, Ada']],
    [
      'Ada\tada@example.com\r\nBob Field\tbob@example.com',
      ['ada@example.com Ada', 'bob@example.com Bob Field'],
    ],
    [
      'a@example.com b@example.com;c@example.com',
      ['a@example.com', 'b@example.com', 'c@example.com'],
    ],
    ['<mailto:ada@example.com>.', ['ada@example.com']],
    ['ada@example.com.', ['ada@example.com']],
    ["Zoë O'Hara <zoe@example.com>", ["zoe@example.com Zoë O'Hara"]],
    [' \n,;\n ', []],
  ])('is read: %j', (pasted, expected) => {
    const { found, leftOut } = readInvitees(pasted, known);
    expect(
      found.map(({ email, name }) => (name === undefined ? email : `${email} ${name}`)),
    ).toEqual(expected);
    expect(leftOut).toEqual([]);
  });

  test.each<[string, LeftOutReason]>([
    ['MIA@example.com', 'member'],
    ['ian@Example.com', 'invited'],
    ['ada@example', 'invalid'],
    ['ada at example.com', 'invalid'],
    ['@example.com', 'invalid'],
    ['"unclosed', 'invalid'],
    [`${'a'.repeat(250)}@example.com`, 'invalid'],
  ])('leaves out %j', (pasted, reason) => {
    expect(readInvitees(pasted, known)).toEqual({ found: [], leftOut: [{ text: pasted, reason }] });
  });

  test('names one that is twice in it, keeps the first, and takes no more than one batch', () => {
    const twice = readInvitees('ada@example.com, Ada <ADA@example.com>', known);
    expect(twice.found).toHaveLength(1);
    expect(twice.leftOut).toEqual([{ text: 'Ada <ADA@example.com>', reason: 'repeated' }]);
    const many = Array.from({ length: MOST_INVITEES + 2 }, (_, index) => `p${index}@example.com`);
    const { found, leftOut } = readInvitees(many.join('\n'), known);
    expect(found).toHaveLength(MOST_INVITEES);
    expect(leftOut.map(({ reason }) => reason)).toEqual(['tooMany', 'tooMany']);
  });
});

const refusal = (status: number, code: string, retryAfterSeconds?: number) =>
  new ApiError({
    status,
    code,
    message: code,
    details: {},
    requestId: undefined,
    retryAfterSeconds,
  });

/** Sends to all. `refusals`: by address, what each try gets. */
async function sendAll(
  emails: readonly string[],
  refusals: Readonly<Record<string, readonly ApiError[]>>,
  stopAfter?: string,
) {
  const outcomes = new Map<string, Outcome>();
  const [calls, pauses]: [string[], number[]] = [[], []];
  const stopping = new AbortController();
  const sending = sendEach({
    emails,
    send: (email) => {
      const tried = calls.filter((each) => each === email).length;
      calls.push(email);
      const refused = refusals[email]?.[tried];
      if (email === stopAfter) stopping.abort();
      return refused ? Promise.reject(refused) : Promise.resolve();
    },
    report: (email, outcome) => outcomes.set(email, outcome),
    pause: (seconds) => {
      pauses.push(seconds);
      return Promise.resolve();
    },
    signal: stopping.signal,
  });
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const kinds = [...outcomes].map(([email, { kind }]) => `${email} ${kind}`);
  return { kinds, calls, pauses, code: error instanceof ApiError ? error.code : undefined };
}

describe('a batch of invitations', () => {
  test('goes on after one that fails, and knows those that need none', async () => {
    const { kinds, code } = await sendAll(['a', 'b', 'c'], {
      a: [refusal(504, 'email_not_delivered')],
      b: [refusal(409, 'member_exists')],
    });
    expect(kinds).toEqual(['a failed', 'b known', 'c sent']);
    expect(code).toBeUndefined();
  });

  test('waits as long as the service says, and sends the same one again', async () => {
    const { kinds, calls, pauses } = await sendAll(['a', 'b'], {
      a: [refusal(429, 'rate_limited', 12), refusal(429, 'rate_limited', 3)],
    });
    expect(calls).toEqual(['a', 'a', 'a', 'b']);
    expect(pauses).toEqual([12, 3]);
    expect(kinds).toEqual(['a sent', 'b sent']);
  });

  test('stops at what would refuse all, and when the person says so', async () => {
    const full = await sendAll(['a', 'b', 'c'], { b: [refusal(409, 'seat_limit_reached')] });
    expect([full.kinds, full.code]).toEqual([['a sent', 'b waiting'], 'seat_limit_reached']);
    const stopped = await sendAll(['a', 'b', 'c'], {}, 'b');
    expect(stopped.calls).toEqual(['a', 'b']);
  });
});

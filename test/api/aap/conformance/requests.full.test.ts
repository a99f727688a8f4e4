/** Lines 17 to 32: reading, waiting for and cancelling a request. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import {
  ask,
  CALL,
  codeOf,
  decisionOf,
  describeLines,
  idOf,
  timeOf,
  type BrokenReplies,
  type Line,
} from './provider.ts';

const get = (spoil: BrokenReplies['spoil']): Line['broken'] => ({ method: 'GET', spoil });
const cancel = (spoil: BrokenReplies['spoil']): Line['broken'] => ({ method: 'DELETE', spoil });
const at = (id: string) => `/v1/requests/${id}`;

await describeLines([
  {
    line: 17,
    must: 'a read returns the current resource',
    check: async (provider) => {
      const made = await ask(provider);
      const read = await provider.call('GET', at(idOf(made)));
      expect([read.status, read.body]).toEqual([200, made.body]);
    },
    broken: get((reply) => (reply.body['tool'] = 'other')),
  },
  {
    line: 18,
    must: 'a wait that ends without a decision is 200 and pending, and not before its end',
    check: async (provider) => {
      const made = await ask(provider);
      const began = performance.now();
      const read = await provider.call('GET', `${at(idOf(made))}?wait=1s`);
      expect(performance.now() - began).toBeGreaterThan(950);
      expect([read.status, read.body['status']]).toEqual([200, 'pending']);
    },
    broken: get((reply) => (reply.status = 408)),
  },
  {
    line: 19,
    must: 'a wait returns with the decision',
    check: async (provider) => {
      const made = await ask(provider);
      const waiting = provider.call('GET', `${at(idOf(made))}?wait=30s`);
      await provider.decide(idOf(made), 'denied');
      const read = await waiting;
      expect([read.body['status'], decisionOf(read)['status']]).toEqual(['denied', 'denied']);
    },
    broken: get((reply) => (reply.body['status'] = 'pending')),
  },
  {
    line: 20,
    must: 'a wait above 30 seconds is accepted, a malformed one is not',
    check: async (provider) => {
      const made = await ask(provider, { as: 'free' });
      const read = async (wait: string) =>
        (await provider.call('GET', `${at(idOf(made))}?wait=${wait}`, { as: 'free' })).status;
      expect([await read('24h'), await read('soon'), await read('0s')]).toEqual([200, 400, 400]);
    },
    broken: get((reply) => (reply.status = 200)),
  },
  {
    line: 21,
    must: 'without a wait the response comes at once',
    check: async (provider) => {
      const made = await ask(provider);
      const { status, body } = await provider.call('GET', at(idOf(made)));
      expect([status, body['status']]).toEqual([200, 'pending']);
    },
    broken: get((reply) => (reply.status = 202)),
  },
  {
    line: 22,
    must: 'another instance cannot read it, and an unknown id is the same 404',
    check: async (provider) => {
      const made = await ask(provider);
      const theirs = await provider.call('GET', at(idOf(made)), { as: 'other' });
      const unknown = await provider.call('GET', at(randomUUID()));
      expect([codeOf(theirs), codeOf(unknown)]).toEqual([
        [404, 'not_found'],
        [404, 'not_found'],
      ]);
    },
    broken: get((reply) => (reply.status = 403)),
  },
  {
    line: 23,
    must: 'an approval has an end after its decision, which stays',
    check: async (provider) => {
      const made = await ask(provider);
      await provider.decide(idOf(made), 'approved');
      const [one, two] = [
        await provider.call('GET', at(idOf(made))),
        await provider.call('GET', at(idOf(made))),
      ];
      const { decided_at: from, expires_at: until } = decisionOf(one);
      expect(timeOf(until)).toBeGreaterThan(timeOf(from));
      expect(two.body).toEqual(one.body);
    },
    broken: get((reply) => {
      const { decision } = reply.body;
      if (decision) (decision as Record<string, unknown>)['expires_at'] = new Date(0).toISOString();
    }),
  },
  {
    line: 24,
    must: 'no other outcome has an end',
    check: async (provider) => {
      const made = await ask(provider);
      await provider.decide(idOf(made), 'denied');
      const read = await provider.call('GET', at(idOf(made)));
      expect(Object.keys(decisionOf(read)).sort()).toEqual(['decided_at', 'status']);
    },
    broken: get((reply) => {
      const { decision } = reply.body;
      if (decision) (decision as Record<string, unknown>)['expires_at'] = new Date().toISOString();
    }),
  },
  {
    line: 25,
    must: 'a request that is pending at its deadline expires, and is not approved',
    check: async (provider) => {
      const made = await ask(provider, { body: { ...CALL, timeout: '1s' } });
      const read = await provider.call('GET', `${at(idOf(made))}?wait=10s`);
      expect([read.body['status'], decisionOf(read)['status']]).toEqual(['expired', 'expired']);
      expect(timeOf(decisionOf(read)['decided_at'])).toBeGreaterThanOrEqual(
        timeOf(made.body['deadline_at']),
      );
    },
    broken: get((reply) => (reply.body['status'] = 'denied')),
  },
  {
    line: 26,
    must: 'a replay after the decision is 200 with it, and extends nothing',
    check: async (provider) => {
      const key = randomUUID();
      const made = await ask(provider, { key });
      await provider.decide(idOf(made), 'approved');
      const read = await provider.call('GET', at(idOf(made)));
      const again = await ask(provider, { key });
      expect([again.status, again.body]).toEqual([200, read.body]);
    },
    broken: { method: 'POST', spoil: (reply) => delete reply.body['decision'] },
  },
  {
    line: 27,
    must: 'the submitted call stays as it was accepted',
    check: async (provider) => {
      const made = await ask(provider);
      await provider.decide(idOf(made), 'approved');
      const { body } = await provider.call('GET', at(idOf(made)));
      expect(body).toMatchObject(CALL);
    },
    broken: get((reply) => (reply.body['arguments'] = { amount: 1 })),
  },
  {
    line: 28,
    must: 'a cancellation is 200 with the cancelled request',
    check: async (provider) => {
      const made = await ask(provider);
      const { status, body } = await provider.call('DELETE', at(idOf(made)));
      expect([status, body['status']]).toEqual([200, 'cancelled']);
      expect(body['decision']).toMatchObject({ status: 'cancelled' });
    },
    broken: cancel((reply) => (reply.body['status'] = 'denied')),
  },
  {
    line: 29,
    must: 'cancelling again returns the same',
    check: async (provider) => {
      const made = await ask(provider);
      const one = await provider.call('DELETE', at(idOf(made)));
      const two = await provider.call('DELETE', at(idOf(made)));
      expect([two.status, two.body]).toEqual([200, one.body]);
    },
    broken: cancel((reply) => {
      (reply.body['decision'] as Record<string, unknown>)['note'] = randomUUID();
    }),
  },
  {
    line: 30,
    must: 'a decided request is 409 already_terminal, and unchanged',
    check: async (provider) => {
      const made = await ask(provider);
      await provider.decide(idOf(made), 'approved');
      const answer = await provider.call('DELETE', at(idOf(made)));
      expect(codeOf(answer)).toEqual([409, 'already_terminal']);
      const { body } = await provider.call('GET', at(idOf(made)));
      expect(body['status']).toBe('approved');
    },
    broken: cancel((reply) => (reply.status = 200)),
  },
  {
    line: 31,
    must: 'a cancellation ends waits, which return the cancelled request',
    check: async (provider) => {
      const made = await ask(provider);
      const waiting = provider.call('GET', `${at(idOf(made))}?wait=30s`);
      await provider.call('DELETE', at(idOf(made)));
      expect((await waiting).body['status']).toBe('cancelled');
    },
    broken: get((reply) => (reply.body['status'] = 'pending')),
  },
  {
    line: 32,
    must: 'another instance cannot cancel it',
    check: async (provider) => {
      const made = await ask(provider);
      const answer = await provider.call('DELETE', at(idOf(made)), { as: 'other' });
      expect(codeOf(answer)).toEqual([404, 'not_found']);
      const { body } = await provider.call('GET', at(idOf(made)));
      expect(body['status']).toBe('pending');
    },
    broken: cancel((reply) => (reply.status = 200)),
  },
]);

/** Claims against everything else that can happen to a request at the same moment: each pair 20 times over. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  adapterOf,
  ask,
  deadlineOf,
  decide,
  stepAt,
} from '../../support/scene/approval-requests.ts';
import {
  claim,
  claimed,
  holdersOf,
  reachLapse,
  release,
  verbsOf,
} from '../../support/scene/claims.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';

const ROUNDS = 20;
const REVIEWER = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide', 'request.claim'] },
] as const;

let app: TestApp;
let organization: TestOrganization;
let agent: TestAgent;
let ada: TestMember;
let bob: TestMember;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  ada = await createMember(app, organization.id, { displayName: 'Ada', policies: REVIEWER });
  bob = await createMember(app, organization.id, { displayName: 'Bob', policies: REVIEWER });
});
afterAll(async () => {
  await app.close();
});

const outcome = ({ status, body }: Answer) =>
  status < 300 ? String(status) : `${status} ${String(body['error']?.['code'])}`;
const shown = async (id: string) =>
  (await organization.owner.http.get(`/api/v1/requests/${id}`)).body;
const withdraw = async (id: string) =>
  await adapterOf(app, agent).delete(`/api/aap/v1/requests/${id}`);
const count = async (id: string, verb: string) =>
  (await verbsOf(app, id)).filter((each) => each === verb).length;

async function rounds(round: (id: string) => Promise<void>): Promise<void> {
  for (let n = 0; n < ROUNDS; n += 1) await round(await ask(app, agent));
}

describe('at the same moment', () => {
  test('two people claim: exactly one holds it, the other hears who', async () => {
    await rounds(async (id) => {
      const answers = await Promise.all([claim(ada.http, id), claim(bob.http, id)]);
      expect(answers.map(outcome).sort()).toEqual(['200', '409 claim_held']);
      const won = answers.find(({ status }) => status === 200)?.body['claim'];
      const lost = answers.find(({ status }) => status === 409)?.body['error']?.['details'];
      expect(lost?.['membership_id']).toBe(won?.['membership_id']);
      expect(await holdersOf(app, id)).toEqual([won?.['membership_id']]);
      expect((await shown(id))['claim']).toEqual(won);
    });
  });

  test('one person claims twice: both answers are the same claim', async () => {
    await rounds(async (id) => {
      const [first, second] = await Promise.all([claim(ada.http, id), claim(ada.browser, id)]);
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(first.body).toEqual(second.body);
      expect(await count(id, 'claimed')).toBe(1);
    });
  });

  test('one claims and another decides: the decision stands, and no claim is shown', async () => {
    await rounds(async (id) => {
      const [claiming, deciding] = await Promise.all([claim(ada.http, id), decide(bob.http, id)]);
      expect(deciding.status).toBe(200);
      expect(['200', '409 request_not_pending']).toContain(outcome(claiming));
      expect(await shown(id)).toEqual(deciding.body['request']);
      expect(await shown(id)).not.toHaveProperty('claim');
      expect((await verbsOf(app, id)).at(-1)).toBe('approved');
    });
  });

  test('the holder releases and another claims: at most one holds it, and what he heard is what is shown', async () => {
    await rounds(async (id) => {
      await claimed(ada.http, id);
      const [releasing, claiming] = await Promise.all([release(ada.http, id), claim(bob.http, id)]);
      expect(releasing.status).toBe(204);
      expect(['200', '409 claim_held']).toContain(outcome(claiming));
      expect(await holdersOf(app, id)).toEqual(claiming.status === 200 ? [bob.membershipId] : []);
    });
  });

  test('one claims and the agent withdraws: it is withdrawn, and no claim is shown', async () => {
    await rounds(async (id) => {
      const [claiming, cancelling] = await Promise.all([claim(ada.http, id), withdraw(id)]);
      expect(cancelling.status).toBe(200);
      expect(['200', '409 request_not_pending']).toContain(outcome(claiming));
      expect(await shown(id)).toMatchObject({ status: 'cancelled' });
      expect(await shown(id)).not.toHaveProperty('claim');
      expect((await verbsOf(app, id)).at(-1)).toBe('cancelled');
    });
  });

  test('the holder releases and another decides: the decision stands, and nothing is recorded after it', async () => {
    await rounds(async (id) => {
      await claimed(ada.http, id);
      const [releasing, deciding] = await Promise.all([
        release(ada.http, id),
        decide(bob.http, id, { status: 'denied' }),
      ]);
      expect(deciding.status).toBe(200);
      expect(['204', '404 not_found']).toContain(outcome(releasing));
      expect(await count(id, 'claim_released')).toBe(releasing.status === 204 ? 1 : 0);
      expect((await verbsOf(app, id)).at(-1)).toBe('denied');
    });
  });

  test('one claims and the deadline comes: it expires, and a claim that came too late hears so', async () => {
    await rounds(async (id) => {
      const deadline = await deadlineOf(app, id);
      const [claiming] = await Promise.all([claim(ada.http, id), stepAt(app, id, deadline)]);
      expect(['200', '409 request_not_pending']).toContain(outcome(claiming));
      expect(await shown(id)).toMatchObject({ status: 'expired' });
      expect(await shown(id)).not.toHaveProperty('claim');
      expect((await verbsOf(app, id)).at(-1)).toBe('expired');
    });
  });

  test('a claim lapses, is met by the step and by its holder: its end is recorded once', async () => {
    await rounds(async (id) => {
      await claimed(ada.http, id);
      const end = await reachLapse(app, id);
      const [releasing] = await Promise.all([
        release(ada.http, id),
        stepAt(app, id, end),
        claim(bob.http, id),
      ]);
      expect(outcome(releasing)).toMatch(/^(404 not_found|403 not_claim_holder)$/);
      expect(await count(id, 'claim_lapsed')).toBe(1);
      expect(await count(id, 'claim_released')).toBe(0);
      expect(await holdersOf(app, id)).toEqual([bob.membershipId]);
    });
  });

  test('somebody claims and is suspended: he is left holding nothing', async () => {
    await rounds(async (id) => {
      const leaving = await createMember(app, organization.id, { policies: REVIEWER });
      const suspend = organization.owner.http.call(
        'PATCH',
        `/api/v1/members/${leaving.membershipId}`,
        { body: { status: 'suspended' } },
      );
      const [claiming, suspending] = await Promise.all([claim(leaving.http, id), suspend]);
      expect(suspending.status).toBe(200);
      expect(['200', '403 membership_inactive']).toContain(outcome(claiming));
      expect(await holdersOf(app, id)).toEqual([]);
      expect(await count(id, 'claim_released')).toBe(await count(id, 'claimed'));
    });
  });
});

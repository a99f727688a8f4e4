/** What a request says that its reader can do is what the endpoints then answer, for every kind of caller and state. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiResponse, HttpClient } from '../../../support/http.ts';
import { everywhere, REVIEWER, scene } from '../../../support/scene.ts';
import { createOrganizationKey } from '../../../support/scene/factories.ts';

const { app, organization, owner, people, ...verbs } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: {
    asked: REVIEWER,
    colleague: REVIEWER,
    decider: ['request.read', 'request.decide'],
    reader: ['request.read', 'request.read.unrouted', 'request.claim'],
    deputy: [...REVIEWER, 'request.decide.unrouted'],
    elsewhere: {
      policies: [
        everywhere('request.read', 'request.read.unrouted'),
        { scope_kind: 'agent', resource_ids: ['other'], permissions: REVIEWER },
      ],
    },
  },
  paths: { usual: [['asked', 'colleague', 'decider', 'elsewhere']] },
  pipelines: { bot: 'usual', other: 'usual' },
});
const { ask, decide, claim, claimed, addReviewers, settings, reachLapse } = verbs;
const { asked, colleague, decider, reader, deputy, elsewhere } = people;

const STATES: Readonly<Record<string, () => Promise<string>>> = {
  pending: () => ask(),
  evaluating: () => ask({ evaluated: false }),
  claimed: async () => {
    const id = await ask();
    await claimed(colleague.browser, id);
    return id;
  },
  'of a lapsed claim': async () => {
    const id = await ask();
    await claimed(colleague.browser, id);
    await reachLapse(id);
    return id;
  },
  'past its deadline': async () => {
    const id = await ask();
    const requests = app.db('approval_requests').where({ id });
    await requests.update({ deadline_at: app.db.ref('created_at') });
    return id;
  },
  decided: async () => {
    const id = await ask();
    await decide(owner, id);
    return id;
  },
};

const REFUSALS: Readonly<Record<string, string>> = { request_not_pending: 'already_terminal' };

/** Undefined when the call succeeded. */
function refusalOf({ status, body }: ApiResponse): string | undefined {
  if (status === 200) return undefined;
  const code = String(body['error']?.['code']);
  return REFUSALS[code] ?? code;
}

/** What the endpoints answer one after the other. None changes what the caller may do after it. */
async function answersTo(client: HttpClient, id: string) {
  const add = refusalOf(await addReviewers(client, id, [owner]));
  const claiming = refusalOf(await claim(client, id));
  const deciding = refusalOf(await decide(client, id));
  return {
    can_decide: deciding === undefined,
    can_claim: claiming === undefined,
    can_add_reviewers: add === undefined,
    cannot_reason: deciding ?? claiming ?? add,
  };
}

const ABILITIES = ['can_decide', 'can_claim', 'can_add_reviewers', 'cannot_reason'] as const;

let callers: Readonly<Record<string, HttpClient>>;

beforeAll(async () => {
  const key = await createOrganizationKey(app, organization, [
    everywhere('request.read', 'request.read.unrouted'),
  ]);
  await app
    .db('api_keys')
    .where({ id: colleague.apiKeyId })
    .update({ permissions: ['request.read', 'request.decide'] });
  callers = {
    'an owner': owner.browser,
    'a reviewer on the path': asked.browser,
    'a holder of the claim': colleague.browser,
    'a key of a reviewer, scoped without claims': colleague.http,
    'a decider without claims': decider.browser,
    'a reader': reader.browser,
    'someone who may decide what is routed to others': deputy.browser,
    'a reviewer of another agent': elsewhere.browser,
    'an organization key': key.http,
  };
});

describe.each([
  { required: false, states: Object.keys(STATES) },
  { required: true, states: ['pending'] },
])('with a second factor required: $required', ({ required, states }) => {
  beforeAll(async () => {
    await settings({ require_mfa: required });
  });

  test.each(states)('a request that is %s', async (state) => {
    const make = STATES[state] ?? (() => Promise.reject(new Error('no such state')));
    const said: Record<string, unknown> = {};
    const answered: Record<string, unknown> = {};
    for (const [who, client] of Object.entries(callers)) {
      const id = await make();
      const { status, body } = await client.get(`/api/v1/requests/${id}`);
      expect(status).toBe(200);
      said[who] = Object.fromEntries(ABILITIES.map((name) => [name, body[name]]));
      answered[who] = await answersTo(client, id);
    }
    expect(said).toEqual(answered);
  });
});

test('each reason is met', async () => {
  await settings({ require_mfa: false });
  const reason = async (client: HttpClient, id: string) =>
    (await client.get(`/api/v1/requests/${id}`)).body['cannot_reason'];
  const pending = await STATES['pending']?.();
  const held = await STATES['claimed']?.();
  expect([
    await reason(owner.browser, String(pending)),
    await reason(reader.browser, String(pending)),
    await reason(owner.browser, String(held)),
    await reason(owner.browser, String(await STATES['evaluating']?.())),
    await reason(owner.browser, String(await STATES['decided']?.())),
  ]).toEqual([
    undefined,
    'permission_denied',
    'claim_held',
    'request_evaluating',
    'already_terminal',
  ]);
  const bystander = await verbs.person([...REVIEWER, 'request.read.unrouted']);
  expect(await reason(bystander.browser, String(pending))).toBe('request_not_routed');
  await settings({ require_mfa: true });
  expect(await reason(asked.browser, String(pending))).toBe('mfa_required');
  await settings({ require_mfa: false });
});

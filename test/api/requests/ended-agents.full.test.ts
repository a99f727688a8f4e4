/**
 * Creating requests against disabling, archiving and revoking: once a change has answered, no
 * request of the agent, instance or credential follows.
 */
import { describe, expect, test } from '@jest/globals';
import { touchCredential } from '../../../src/data/agents/agent-credentials.ts';
import type { ApiResponse } from '../../support/http.ts';
import { through } from '../../support/gates.ts';
import { outcome } from '../../support/refusals.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import { postRequest } from '../../support/scene/approval-requests.ts';
import { createInstance, type TestAgent } from '../../support/scene/factories.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { always } from './aap/submissions.ts';

const {
  app,
  agent: addAgent,
  owner,
  organization,
} = await scene({
  pipelines: { bot: {} },
});

/** With inline rules, the first is written with its answer, and the second is not. */
const rules = { 'for rules': always('approve', 'fine'), 'for people': {} } as const;

const change = (path: string, body: unknown) => owner.http.call('PATCH', path, { body });

const ends: Readonly<
  Record<string, { run: (agent: TestAgent) => Promise<ApiResponse>; refusal: string }>
> = {
  'an agent that is disabled': {
    run: ({ slug }) => change(`/api/v1/agents/${slug}`, { status: 'disabled' }),
    refusal: '403 agent_disabled',
  },
  'an instance that is disabled': {
    run: ({ instanceId }) =>
      change(`/api/v1/agent_instances/${instanceId}`, { status: 'disabled' }),
    refusal: '403 instance_disabled',
  },
  'a credential that is revoked': {
    run: ({ credentialId }) => owner.http.delete(`/api/v1/agent-credentials/${credentialId}`),
    refusal: '401 authentication_required',
  },
  'an agent that is archived': {
    run: ({ slug }) => owner.http.delete(`/api/v1/agents/${slug}`),
    refusal: '401 authentication_required',
  },
};

const requestsOf = ({ slug }: TestAgent) =>
  app
    .db('approval_requests')
    .where({ agent_slug: slug })
    .select<{ id: string; state: string }[]>('id', 'state');

describe.each(Object.entries(rules))('a request %s', (_rules, document) => {
  /** With inline rules, the process decides by rules it knows from a first request. */
  const begin = async () => {
    const agent = await addAgent(undefined, document);
    expect((await postRequest(app, agent)).status).toBe(201);
    return agent;
  };

  test.each(Object.entries(ends))('of %s is refused, wherever the call is', async (_name, end) => {
    for (const at of ['before', 'within'] as const) {
      const agent = await begin();
      // Another request of the minute wrote the instance, so its row has a newer version.
      const happens = async () => {
        await app
          .db('agent_credentials')
          .where({ id: agent.credentialId })
          .update({ last_used_at: null });
        await touchCredential(app.db, organization.id, agent.credentialId);
        expect((await end.run(agent)).status).toBeLessThan(300);
      };
      const gate = {
        of:
          at === 'before'
            ? 'insert into approval_requests'
            : 'from organizations o, access_turn where',
        at,
        happens,
      };
      const answer = await through(app, gate, () => postRequest(app, agent));
      expect([at, outcome(answer)]).toEqual([at, end.refusal]);
      expect(await requestsOf(agent)).toHaveLength(1);
    }
  });

  test.each(Object.entries(ends))(
    'of %s at that moment comes first, or is refused',
    async (name, end) => {
      for (let round = 0; round < ROUNDS; round++) {
        const agent = await begin();
        const others = await Promise.all(
          [1, 2, 3].map(() => createInstance(app, organization, agent.slug)),
        );
        const isOne = /instance|credential/.test(name);
        const callers = isOne ? [agent, agent, agent, agent] : [agent, ...others];
        const creating = callers.flatMap((caller) => [0, 1, 2].map(() => postRequest(app, caller)));
        const ended = await end.run(agent);
        expect(ended.status).toBeLessThan(300);
        const atThatMoment = await requestsOf(agent);
        const answers = await Promise.all(creating);
        const made = answers.filter(({ status }) => status === 201);
        for (const answer of answers) expect(['201', end.refusal]).toContain(outcome(answer));
        const rows = await requestsOf(agent);
        expect(rows).toHaveLength(1 + made.length);
        expect(rows.map(({ id }) => id).sort()).toEqual(atThatMoment.map(({ id }) => id).sort());
        if (name.includes('archived'))
          for (const { state } of rows) expect(['approved', 'cancelled']).toContain(state);
      }
    },
  );
});

test('creating a request is still two statements', async () => {
  const agent = await addAgent(undefined, {});
  await postRequest(app, agent);
  const statements = await statementsDuring(app, () => postRequest(app, agent));
  // That a credential was used is written behind an answer, and may come as late as the next call.
  const [authenticates, inserts] = statements.filter((sql) => !sql.includes('last_used_at ='));
  expect(authenticates).toContain('from agent_credentials');
  expect(inserts).toContain('insert into approval_requests');
});

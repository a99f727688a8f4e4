/** Trying out a pipeline on a sample: what each block does, how the sample is read, and who may. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { createAgent, createOrganization } from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { always, BASE, cel, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';
import { issuesOf } from '../../support/refusals.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

describe('preview', () => {
  beforeAll(async () => {
    organization = await createOrganization(app);
    owner = organization.owner;
    await createAgent(app, organization, 'deploy-bot');
  });

  const sample = (args: object = {}, slug = 'deploy-bot') => ({
    request: { tool: 'refund', arguments: args },
    agent: { slug, name: 'Deploy bot' },
  });
  const preview = (body: unknown, base = ORGANIZATION) => owner.http.post(`${base}/preview`, body);
  const small = cel('small', {
    id: 'c',
    field: '/request/arguments/amount',
    operator: 'less_than',
    value: 50,
  });

  test('reports each block reached and the outcome, and saves nothing', async () => {
    const rule = cel('never', { id: 'n', field: '/request/server', operator: 'exists' });
    const answer = await preview({
      blocks: [rule, small, always()],
      sample: sample({ amount: 20 }),
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      outcome: 'approve',
      reason_code: 'block_outcome',
      terminal_block_id: 'small',
      escalation_path_source: 'no_escalation',
      blocks: [
        { block_id: 'never', position: 0, outcome: 'next', reason: 'The condition does not hold.' },
        { block_id: 'small', position: 1, outcome: 'approve', reason: 'Fine.' },
      ],
      warnings: [{ code: 'approves_without_limit', block_id: 'never', condition_id: 'n' }],
    });
    expect((await owner.http.get(`${ORGANIZATION}/revisions`)).body).toMatchObject({
      total_count: 1,
    });
  });

  test('a call that passes every block goes to a person, by the default path', async () => {
    const answer = await preview({
      blocks: [small],
      default_escalation_path: 'on-call',
      sample: sample({ amount: 50 }),
    });
    expect(answer.body).toMatchObject({
      outcome: 'human',
      reason_code: 'end_of_pipeline',
      escalation_path: 'on-call',
      escalation_path_source: 'pipeline_default',
    });
    expect(answer.body).not.toHaveProperty('terminal_block_id');
  });

  test('compares the numbers of the sample exactly', async () => {
    const equal = cel('equal', {
      id: 'c',
      field: '/request/arguments/n',
      operator: 'equals',
      value: '@',
    });
    const body = (n: string) =>
      `{"blocks":${JSON.stringify([equal]).replace('"@"', '9007199254740993')},"sample":${JSON.stringify(sample({ n: '@' })).replace('"@"', n)}}`;
    expect((await preview(body('9007199254740993.0'))).body).toMatchObject({ outcome: 'approve' });
    expect((await preview(body('9007199254740992'))).body).toMatchObject({
      outcome: 'human',
      reason_code: 'end_of_pipeline',
    });
  });

  test('gives the metadata of the sample to the blocks', async () => {
    const seen = cel('seen', {
      id: 'c',
      field: '/previous_metadata/organization/risk/score',
      operator: 'greater_than',
      value: 1,
    });
    const previous_metadata = { organization: { risk: { score: 2 } } };
    expect(
      (await preview({ blocks: [seen], sample: { ...sample(), previous_metadata } })).body,
    ).toMatchObject({ outcome: 'approve' });
    expect((await preview({ blocks: [seen], sample: sample() })).body).toMatchObject({
      outcome: 'human',
    });
  });

  test("an agent's pipeline accepts only samples of that agent; the organization's accepts any", async () => {
    const base = `${BASE}/agents/deploy-bot`;
    expect((await preview({ blocks: [], sample: sample() }, base)).status).toBe(200);
    const foreign = await preview({ blocks: [], sample: sample({}, 'other-bot') }, base);
    expect(issuesOf(foreign)).toMatchObject([{ pointer: '/sample/agent/slug' }]);
    expect((await preview({ blocks: [], sample: sample({}, 'other-bot') })).status).toBe(200);
    expect(
      (await preview({ blocks: [], sample: sample({}, 'unknown') }, `${BASE}/agents/unknown`))
        .status,
    ).toBe(404);
  });

  test.each([
    [{ sample: sample() }, '/blocks'],
    [{ blocks: [] }, '/sample'],
    [{ blocks: [], sample: { ...sample(), extra: 1 } }, '/sample/extra'],
    [
      { blocks: [], sample: { agent: sample().agent, request: { arguments: {} } } },
      '/sample/request/tool',
    ],
    [
      { blocks: [], sample: { agent: sample().agent, request: { tool: 'x', arguments: [] } } },
      '/sample/request/arguments',
    ],
    [
      { blocks: [], sample: { ...sample(), agent: { slug: 'NO', name: 'x' } } },
      '/sample/agent/slug',
    ],
    [
      { blocks: [], sample: { ...sample(), previous_metadata: { organization: 1 } } },
      '/sample/previous_metadata/organization',
    ],
    [{ blocks: [{ ...always(), type: 'x' }], sample: sample() }, '/blocks/0/type'],
    [{ blocks: [], default_escalation_path: null, sample: sample() }, '/default_escalation_path'],
    [{ blocks: [], other: 1, sample: sample() }, '/other'],
  ])('refuses %j with a pointer', async (body, pointer) => {
    const answer = await preview(body);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toEqual([expect.objectContaining({ pointer })]);
  });
});

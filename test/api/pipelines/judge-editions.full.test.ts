/** Judges in deployments that have none: saving, previewing, and rules that were saved before. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { REVIEWER, scene, appForFile } from '../../support/scene.ts';
import { issuesOf } from '../../support/refusals.ts';
import { always, BASE } from '../../support/scene/request-approval-pipelines.ts';
import { requestOf } from '../../support/adapter.ts';
import { until } from '../../support/waiting.ts';
import { judgeEnvironment, startJudgeServer } from '../../support/servers/judge-server.ts';

const server = await startJudgeServer();
afterAll(() => server.close());
const { app, owner, agents, organization, routing, timeline, pipeline } = await scene({
  app: { environment: judgeEnvironment(server) },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']] },
  pipelines: { bot: {} },
});
const { databaseUrl } = app;
const open = await appForFile({ databaseUrl, temporal: true });
const withoutModel = await appForFile({
  databaseUrl,
  environment: { COUNTERSIGN_EDITION: 'hosted' },
});

const judge = (config: object = {}) => ({
  ...{ id: 'policy', name: 'Policy', type: 'llm_judge' },
  config: { policy: 'Refunds may pass.', ...config },
});
const sample = { request: { tool: 'x', arguments: {} }, agent: { slug: 'bot', name: 'Bot' } };
const at = (url: string) =>
  new HttpClient(url, { authorization: `Bearer ${organization.owner.apiKey}` });
const save = async (url: string, config: object = {}) =>
  await at(url).post(`${BASE}/agents/bot/revisions`, { blocks: [judge(config)] });
const preview = async (url: string, config: object = {}) =>
  await at(url).post(`${BASE}/agents/bot/preview`, { blocks: [judge(config)], sample });

describe('the open edition', () => {
  test('has no such type, when saving and previewing', async () => {
    for (const answer of [await save(open.url), await preview(open.url)]) {
      expect([answer.status, answer.body['error']]).toEqual([
        400,
        expect.objectContaining({ code: 'unknown_block_type' }),
      ]);
      expect(issuesOf(answer)).toEqual([
        {
          ...{ pointer: '/blocks/0/type', code: 'unknown_block_type' },
          message: 'must be one of always, cel, branch, webhook',
        },
      ]);
    }
  });

  test('sends the requests of judges that it finds to people', async () => {
    await pipeline('bot', { blocks: [judge(), always('rest', { outcome: 'approve' })] });
    const created = await agents.bot.adapter
      .at(`${open.url}/api/aap`)
      .create({ tool: 'refund', arguments: {}, timeout: '1h' });
    const { id, status } = requestOf(created);
    expect(status).toBe('pending');
    const asked = async () =>
      (await timeline(id)).find((event) => event['event_type'] === 'approval_request.block_asked');
    await until('the block failed', async () => (await asked()) !== undefined);
    expect((await asked())?.['data']).toMatchObject({ error_code: 'judge_unavailable' });
    await until('a person is asked', async () => (await routing(id))['state'] !== 'evaluating');
    expect(await routing(id)).toMatchObject({ block_id: 'policy', source: 'no_escalation' });
    expect(server.asked).toHaveLength(0);
  });
});

describe('the hosted edition', () => {
  test('without a model saves no judge, and previews it as it would end', async () => {
    const saved = await save(withoutModel.url);
    expect([saved.status, saved.body['error']]).toEqual([
      501,
      expect.objectContaining({ code: 'judge_not_configured' }),
    ]);
    expect((await preview(withoutModel.url)).body).toMatchObject({
      ...{ outcome: 'human', reason_code: 'block_error' },
      blocks: [{ block_id: 'policy', outcome: 'human', error_code: 'judge_unavailable' }],
    });
  });

  test('has only the models of its configuration', async () => {
    expect((await save(app.url, { model: 'judge-large' })).status).toBe(201);
    for (const answer of [
      await save(app.url, { model: 'judge-huge' }),
      await preview(app.url, { model: 'judge-huge' }),
    ]) {
      expect(answer.status).toBe(400);
      expect(issuesOf(answer)).toEqual([
        {
          ...{ pointer: '/blocks/0/config/model', code: 'unknown_model' },
          message: 'must be one of judge-small, judge-large',
        },
      ]);
    }
  });

  test('prints a stored judge with its defaults', async () => {
    const { body } = await save(app.url);
    const stored = await owner.http.get(`${BASE}/agents/bot/revisions/${String(body['revision'])}`);
    expect(stored.body['blocks']).toMatchObject([
      {
        ...{ type: 'llm_judge', timeout: '15s', max_attempts: 1 },
        config: { outcomes: ['approve', 'human'], min_confidence: 0.8, include: ['arguments'] },
      },
    ]);
  });
});

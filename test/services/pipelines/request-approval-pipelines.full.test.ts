import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { evaluatePipeline } from '../../../src/domain/pipelines/evaluate.ts';
import { loadCompiledPipeline } from '../../../src/services/evaluation/compiled-pipelines.ts';
import { scene } from '../../support/scene.ts';

const REVISIONS = '/api/v1/request-approval-pipelines/organization/revisions';

const { app, owner } = await scene();

const facts = (args: string) => ({
  request: { tool: 'refund', arguments: { n: args } },
  agent: { slug: 'deploy-bot', name: 'Deploy bot' },
  previous_metadata: { organization: {}, agent: {} },
});

describe('loadCompiledPipeline', () => {
  test('returns a stored revision ready to run, compiled once', async () => {
    const when = { id: 'c', field: '/request/arguments/n', operator: 'equals', value: 'yes' };
    const block = {
      id: 'rule',
      name: 'Rule',
      type: 'cel',
      config: { when, on_match: 'approve', reason: 'Fine.' },
    };
    const created = await owner.http.post(REVISIONS, { blocks: [block] });
    const id = String(created.body['id']);
    const compiled = await loadCompiledPipeline(app.db, id);
    expect(evaluatePipeline(compiled, facts('yes'))).toMatchObject({
      outcome: 'approve',
      terminal_block_id: 'rule',
    });
    expect(evaluatePipeline(compiled, facts('no'))).toMatchObject({ outcome: 'next' });
    expect(await loadCompiledPipeline(app.db, id)).toBe(compiled);
  });

  test('keeps the default path of the revision', async () => {
    const nodes = [
      { id: randomUUID(), type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '5m' },
    ];
    await owner.http.post('/api/v1/escalation-paths', {
      path_key: 'on-call',
      name: 'On call',
      nodes,
    });
    const created = await owner.http.post(REVISIONS, {
      blocks: [],
      default_escalation_path: 'on-call',
    });
    const compiled = await loadCompiledPipeline(app.db, String(created.body['id']));
    expect(evaluatePipeline(compiled, facts('x'))).toMatchObject({
      escalation_path: 'on-call',
      escalation_path_source: 'pipeline_default',
    });
  });

  test('loads a revision once for any number of concurrent callers', async () => {
    const created = await owner.http.post(REVISIONS, { blocks: [] });
    const id = String(created.body['id']);
    const loaded = await Promise.all(
      Array.from({ length: 20 }, () => loadCompiledPipeline(app.db, id)),
    );
    expect(new Set(loaded).size).toBe(1);
  });

  test('fails for an unknown revision instead of passing everything', async () => {
    await expect(loadCompiledPipeline(app.db, randomUUID())).rejects.toThrow(/missing/);
  });
});

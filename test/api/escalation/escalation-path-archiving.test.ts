/** Archiving escalation paths: what ends with it, and which uses prevent it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile } from '../../support/scene.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createOrganization,
} from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { document, PATHS, pathCalls } from './path-scene.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const { create, activate, archive } = pathCalls(() => owner);

const human = (escalationPath: string) => ({
  blocks: [
    {
      id: 'ask',
      name: 'Ask',
      type: 'always',
      config: { outcome: 'human', reason: 'Look.', escalation_path: escalationPath },
    },
  ],
});

describe('archiving', () => {
  test('is final: no revision is active, created or activated any more, and a second call answers 204', async () => {
    await create();
    await activate(1, '"0"');
    expect((await archive()).status).toBe(204);
    const read = await owner.http.get(`${PATHS}/on-call/revisions/1`);
    expect(read.body).toMatchObject({ is_active: false, archived_at: expect.any(String) });
    expect((await archive()).status).toBe(204);
    expect((await owner.http.get(`${PATHS}/on-call/revisions/1`)).body).toEqual(read.body);
    expect((await owner.http.get(`${PATHS}/on-call`)).status).toBe(404);
    expect((await owner.http.post(`${PATHS}/on-call/revisions`, document())).body).toMatchObject({
      error: { code: 'escalation_path_archived' },
    });
    expect((await activate(1, '"0"')).body).toMatchObject({
      error: { code: 'escalation_path_archived' },
    });
    const events = await app
      .db('audit_events')
      .where({
        organization_id: organization.id,
        subject_type: 'escalation_path',
        subject_id: 'on-call',
      })
      .orderBy('sequence')
      .pluck('event_type');
    expect(events).toEqual([
      'escalation_path.created',
      'escalation_path.revision_activated',
      'escalation_path.archived',
    ]);
  });

  test('is refused with every use while an active pipeline names the path', async () => {
    await activatePath(owner, { path_key: 'on-call', ...document() });
    const { slug } = await createAgent(app, organization);
    await activatePipeline(owner, `agents/${slug}`, human('on-call'));
    await activatePipeline(owner, 'organization', {
      blocks: [],
      default_escalation_path: 'on-call',
    });
    const refused = await archive();
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      error: {
        code: 'escalation_path_in_use',
        details: {
          uses: [
            {
              pipeline_id: expect.any(String),
              scope: 'agent',
              agent_slug: slug,
              revision: 2,
              block_key: 'ask',
            },
            { pipeline_id: expect.any(String), scope: 'organization', revision: 2 },
          ],
        },
      },
    });
    await activatePipeline(owner, 'organization', { blocks: [] });
    await activatePipeline(owner, `agents/${slug}`, { blocks: [] });
    expect((await archive()).status).toBe(204);
  });

  test('never succeeds together with activating a pipeline that names the path, in any round', async () => {
    const pipeline = '/api/v1/request-approval-pipelines/organization';
    let active = 1;
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `path-${round}`;
      await activatePath(owner, { path_key: key, ...document() });
      const { body } = await owner.http.post(`${pipeline}/revisions`, human(key));
      const headers = { 'if-match': `"${active}"` };
      const [archived, activated] = await Promise.all([
        archive(key),
        owner.http.post(`${pipeline}/revisions/${String(body['revision'])}/activate`, undefined, {
          headers,
        }),
      ]);
      expect([
        [204, 409],
        [409, 200],
      ]).toContainEqual([archived.status, activated.status]);
      if (activated.status === 200) active = Number(body['revision']);
    }
  });
});

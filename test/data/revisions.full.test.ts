import { describe, expect, test } from '@jest/globals';
import {
  createPipeline,
  pipelineTables,
} from '../../src/data/pipelines/request-approval-pipelines.ts';
import { findRevision, insertDocument } from '../../src/data/revisions.ts';
import { listSummaries } from '../../src/data/revision-summaries.ts';
import { scene } from '../support/scene.ts';

const { app, organization } = await scene();

describe('revisioned documents in the database', () => {
  test('a revision can be neither changed nor deleted', async () => {
    const revision = await findRevision(app.db, organization.id, {
      tables: pipelineTables,
      documentKey: 'organization',
      revision: 1,
    });
    const rows = () => app.db('request_approval_pipeline_revisions').where({ id: revision?.id });
    await expect(rows().update({ document: '{}' })).rejects.toThrow(/append-only/);
    await expect(rows().delete()).rejects.toThrow(/append-only/);
  });

  test('only a revision of the same document can be its active one', async () => {
    const pipeline = app
      .db('request_approval_pipelines')
      .where({ organization_id: organization.id, document_key: 'organization' });
    await expect(pipeline.update({ active_revision: 2 })).rejects.toThrow(/active_revision_fkey/);
  });

  test('an existing document is not created again, and the answer reports it', async () => {
    const createdByActorId = organization.owner.membershipId;
    const again = await insertDocument(app.db, organization.id, {
      tables: pipelineTables,
      documentKey: 'organization',
      revision: { document: '{}', createdByActorId },
      active: true,
    });
    expect(again).toBeUndefined();
    const made = app.db.transaction((trx) =>
      createPipeline(trx, organization.id, { documentKey: 'organization', createdByActorId }),
    );
    await expect(made).rejects.toThrow(/pipeline of organization/);
  });

  test('the document is stored as the original text', async () => {
    const document = '{ "blocks": [],  "x": [1.0, 1e400, "\\u0000"] }';
    const createdByActorId = organization.owner.membershipId;
    const documentKey = 'agent:exact';
    await insertDocument(app.db, organization.id, {
      tables: pipelineTables,
      documentKey,
      revision: { document, createdByActorId },
      active: false,
    });
    const read = await findRevision(app.db, organization.id, {
      tables: pipelineTables,
      documentKey,
      revision: 'latest',
    });
    expect(read).toMatchObject({ document, isActive: false, revision: 1 });
    expect(
      await findRevision(app.db, organization.id, {
        tables: pipelineTables,
        documentKey,
        revision: 'active',
      }),
    ).toBeUndefined();
  });

  test('summaries include only the chosen keys, or none', async () => {
    const page = { tables: pipelineTables, status: 'all' as const, limit: 10 };
    const of = async (documentKeys: string[]) =>
      (await listSummaries(app.db, organization.id, { ...page, documentKeys })).map(
        (one) => one.documentKey,
      );
    expect(await of(['agent:exact', 'agent:unknown'])).toEqual(['agent:exact']);
    expect(await of([])).toEqual([]);
  });
});

/** The scene of the tests of agents: a service that allows five active ones, and calls of an owner. */
import type { TestApp } from '../../support/app.ts';
import { scene, type Scene } from '../../support/scene.ts';

/** Call it at the top of a test file, as `scene`. */
export async function agentsScene() {
  const environment = { COUNTERSIGN_MAX_ACTIVE_AGENTS: '5' };
  const { app, organization, owner } = await scene({ app: { environment }, pipelines: {} });
  return {
    app,
    organization,
    owner,
    ...callsOf(app, { organization, owner }),
    /** The same calls in a further organization, which has no agent yet. */
    elsewhere: async () => {
      const other = await scene({ on: app, pipelines: {} });
      return { organization: other.organization, ...callsOf(app, other) };
    },
  };
}

function callsOf(app: TestApp, { organization, owner }: Pick<Scene, 'organization' | 'owner'>) {
  return {
    create: (slug: string, name = slug) => owner.http.post('/api/v1/agents', { slug, name }),
    archive: async (slug: string) => {
      await app
        .db('agents')
        .where({ organization_id: organization.id, slug })
        .update({ status: 'archived', archived_at: new Date(), updated_at: new Date() });
    },
  };
}

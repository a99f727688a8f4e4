/**
 * A scene: the service over its own database, one organization in it, and verbs to act with.
 *
 *     const { people, ask, decide, later, routing } = await scene({
 *       people: { ada: REVIEWER, bob: REVIEWER, eve: [] },  // permissions, or { can, policies, status, displayName }
 *       teams: { night: ['bob'] },                          // members, or { members, policies }
 *       paths: { 'on-call': [['ada'], ['night']] },         // for each level, the people and teams it asks; 10 minutes each
 *       pipelines: { bot: 'on-call', free: {} },            // for each agent its path, or its pipeline document
 *     });
 *     const { ada, bob } = people;                          // `bob.http` calls with a key, `bob.browser` with a session
 *     const id = await ask({ tool: 'refund' });             // the first agent asks; its rules have run
 *     await later(id);                                      // the next escalation step, at its time
 *     expect((await decide(bob, id)).status).toBe(200);
 *
 * Call it at the top of a test file: the service ends after the file's last test. `on: app` puts a further organization
 * into a running service. All names are optional. Without `pipelines`, the agent `bot` uses the first path.
 * Verbs: scene/verbs.ts. Makers of further people, teams, agents and paths: scene/cast.ts.
 */
import { afterAll } from '@jest/globals';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { castOf, type Cast, type CastSpec } from './scene/cast.ts';
import { createOrganization } from './scene/factories.ts';
import { verbsFor, type Verbs } from './scene/verbs.ts';

export { REVIEWER, everywhere } from './scene/cast.ts';

/** The service alone, for all tests of a file. Call it at the top of the file, like `scene`. */
export async function appForFile(options?: TestAppOptions): Promise<TestApp> {
  const app = await startApp(options);
  afterAll(() => app.close());
  return app;
}

export interface SceneSpec<
  Person extends string,
  Team extends string,
  Agent extends string,
> extends CastSpec<Person, Team, Agent> {
  /** How the service is started. */
  readonly app?: TestAppOptions;
  /** A running service, which its owner closes. */
  readonly on?: TestApp;
}

export type Scene<
  Person extends string = never,
  Team extends string = never,
  Agent extends string = string,
> = Cast<Person, Team, Agent> & Verbs<Agent>;

export async function scene<
  Person extends string = never,
  Team extends string = never,
  Agent extends string = 'bot',
>(spec: SceneSpec<Person, Team, Agent> = {}): Promise<Scene<Person, Team, Agent>> {
  const app = spec.on ?? (await appForFile(spec.app));
  try {
    const cast = await castOf(app, await createOrganization(app), spec);
    return { ...cast, ...verbsFor(cast, { stepsItself: spec.app?.temporal === true }) };
  } catch (error) {
    // A file that fails to load has no `afterAll`.
    if (!spec.on) await app.close();
    throw error;
  }
}

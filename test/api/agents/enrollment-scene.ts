/** The scene of the tests of enrollments: two agents, and the calls of machines and of people. */
import { beforeEach } from '@jest/globals';
import type { ApiResponse } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { deleteAttempts } from '../../support/scene/sign-in.ts';

let names = 0;

/** Call it at the top of a test file, as `scene`. Before each test it deletes the attempts that limits count. */
export async function enrollmentScene() {
  const pipelines = { 'deploy-bot': {}, 'other-bot': {} };
  const { app, organization, owner } = await scene({ pipelines });
  beforeEach(() => deleteAttempts(app));

  const start = (body: Readonly<Record<string, unknown>> = {}) =>
    app.http.post('/auth/agent_enrollments', {
      runtime: 'test runtime',
      instance_name: `machine-${(names += 1)}`,
      ...body,
    });
  const exchange = (code: unknown) =>
    app.http.post('/auth/agent_enrollments/token', { enrollment_code: code });
  const find = (code: string, member = owner) =>
    member.browser.get(`/api/v1/agent_enrollments/${encodeURIComponent(code)}`);
  const authorize = (code: string, body: unknown = { agent_slug: 'deploy-bot' }, member = owner) =>
    member.browser.post(`/api/v1/agent_enrollments/${encodeURIComponent(code)}/authorize`, body);
  /** The codes of a new enrollment. */
  const begun = async (body?: Readonly<Record<string, unknown>>) => codesOf(await start(body));
  return { app, organization, owner, start, begun, exchange, find, authorize };
}

/** The machine's code and the person's. */
export const codesOf = ({ body }: ApiResponse) => ({
  secret: String(body['enrollment_code']),
  user: String(body['user_code']),
});
/** The status, and the code of a refusal. */
export const outcomeOf = ({ status, body }: ApiResponse): unknown => [
  status,
  body?.['error']?.['code'],
];

export const NOT_FOUND = [404, 'not_found'];

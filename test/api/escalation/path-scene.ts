/** Documents of escalation paths, and the calls that create, activate and archive them. */
import type { TestMember } from '../../support/scene/factories.ts';

export const PATHS = '/api/v1/escalation-paths';
export const NODE = '11111111-1111-4111-8111-111111111111';

export const level = (targets: object[] = [{ type: 'broadcast' }], id = NODE) => ({
  id,
  type: 'level',
  targets,
  escalate_after: '5m',
});

export const document = (more: object = {}) => ({ name: 'On call', nodes: [level()], ...more });

/** `owner`: of the test that runs. Calls are about the path `on-call`, unless they name another. */
export const pathCalls = (owner: () => TestMember) => ({
  create: (more: object = {}, key = 'on-call') =>
    owner().http.post(PATHS, { path_key: key, ...document(more) }),
  activate: (revision: number, ifMatch: string, member = owner()) =>
    member.http.post(`${PATHS}/on-call/revisions/${revision}/activate`, undefined, {
      headers: { 'if-match': ifMatch },
    }),
  archive: (key = 'on-call', member = owner()) => member.http.delete(`${PATHS}/${key}`),
});

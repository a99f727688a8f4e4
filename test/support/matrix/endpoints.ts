/** The endpoints of the matrix, and which of them admit callers by the same rules. */
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { askedAtAgent, hiddenAtAgent, opens, targetOf } from './admission.ts';
import { paramsIn, type World } from './world.ts';

export interface NamedEndpoint {
  readonly name: string;
  readonly endpoint: Endpoint;
}

export const named: readonly NamedEndpoint[] = endpoints.map((endpoint) => ({
  name: `${endpoint.method.toUpperCase()} ${endpoint.path}`,
  endpoint,
}));
export const guarded = named.filter(({ endpoint }) => endpoint.auth !== 'none');

/** One endpoint that reads and one that changes, of each kind of authentication. */
export const samples = ['get', 'post'].flatMap((method) =>
  Object.keys(opens).flatMap((auth) =>
    named
      .filter(({ endpoint }) => endpoint.auth === auth && endpoint.method === method)
      .slice(0, 1),
  ),
);
export const guardedSamples = samples.filter(({ endpoint }) => endpoint.auth !== 'none');

/** What its declaration says about who is admitted, apart from the name of the permission. */
function classOf(endpoint: Endpoint, world: World): string {
  const { auth, permission, operationId, dialect, edition, opensToMcpKeys } = endpoint;
  return JSON.stringify({
    auth,
    scope: permission && targetOf(endpoint, paramsIn(world, endpoint)).kind,
    dialect,
    edition,
    opensToMcpKeys,
    asked: operationId in askedAtAgent,
    hidden: operationId in hiddenAtAgent,
  });
}

/** The first endpoint of each class. */
export function oneOfEachClass(world: World): readonly NamedEndpoint[] {
  const first = new Map<string, NamedEndpoint>();
  for (const each of named) {
    const name = classOf(each.endpoint, world);
    if (!first.has(name)) first.set(name, each);
  }
  return [...first.values()];
}

/** With what its query must have. */
export const withQuery = (endpoint: Endpoint): Endpoint =>
  endpoint.operationId === 'listSeenArguments'
    ? { ...endpoint, path: `${endpoint.path}?tool=deploy` }
    : endpoint;

/** Rows of the matrix: what each caller gets from an endpoint. */
import { describe, expect, test } from '@jest/globals';
import { statusOf } from '../../../api/http/problems/problem.ts';
import type { Caller } from './callers.ts';
import type { NamedEndpoint } from './endpoints.ts';
import { expectOpened, type Edition } from './service.ts';
import { paramsIn, type World } from './world.ts';

/** Each of these callers calls each endpoint that is for it. */
export function describeCallers(
  { send }: Edition,
  home: World,
  { callers, at }: { readonly callers: readonly Caller[]; readonly at: readonly NamedEndpoint[] },
): void {
  describe.each(callers)('$caller', ({ at: isFor, headers, refusal }) => {
    test.each(at.filter(({ endpoint }) => isFor?.(endpoint) ?? true))(
      '$name: gets the declared response',
      async ({ endpoint }) => {
        const params = paramsIn(home, endpoint);
        const response = await send(endpoint, { params, headers: await headers(endpoint) });
        const expected = refusal(endpoint, home);
        if (!expected) return expectOpened(response);
        expect({ status: response.status, code: response.body['error']?.['code'] }).toEqual({
          status: statusOf(expected.code, endpoint.dialect),
          code: expected.code,
        });
        if (expected.code === 'permission_denied' && endpoint.dialect !== 'aap')
          expect(response.body['error']?.['details']).toEqual(expected.details);
      },
    );
  });
}

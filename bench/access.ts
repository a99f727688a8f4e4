/**
 * The cost of authentication and authorization. It compares a call that is refused right after both
 * (for an unknown query parameter) with the same refusal on an endpoint without credentials.
 */
import type pg from 'pg';
import { measure, median, round, type Load } from './frame/load.ts';
import {
  bearer,
  expectStatus,
  sender,
  type BenchService,
  type Parties,
  type Send,
} from './frame/service.ts';

const LOAD: Load = { callers: 1, calls: 300 };
const ROUNDS = 3;

/** Each kind of credential, with a call that it opens and that would answer 200. */
async function callsOf(
  { url }: BenchService,
  parties: Parties,
): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const refused = (send: Send, path: string) => () =>
    expectStatus(400, send(`GET ${path}?surprise=1`));
  const grants = [
    { scope_kind: 'organization', resource_ids: [], permissions: ['organization.read'] },
  ];
  const body = { name: 'bench', permission_policies: grants };
  const issued = await expectStatus(
    201,
    parties.browser('POST /api/v1/api_keys', body, { 'idempotency-key': 'bench' }),
  );
  const organizationKey = sender(url, bearer(String(issued.body['token'])));
  return {
    'no credential': refused(sender(url, {}), '/auth/options'),
    session: refused(parties.browser, '/api/v1/organization'),
    'personal key': refused(parties.owner, '/api/v1/organization'),
    'organization key': refused(organizationKey, '/api/v1/organization'),
    'agent credential': refused(
      parties.adapter,
      '/api/aap/v1/requests/0199a3f4-2b7e-7c3d-8e6f-4a5b6c7d8e9f',
    ),
  };
}

/** All kinds in turn, so that a slow minute of the machine affects each. */
export async function measureAccess(service: BenchService, parties: Parties, db: pg.Client) {
  const calls = { ...(await callsOf(service, parties)), 'select 1': () => db.query('select 1') };
  for (const call of Object.values(calls)) await measure(call, { callers: 1, calls: 100 });
  const p50s = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]));
  for (let count = 0; count < ROUNDS; count++) {
    for (const [name, call] of Object.entries(calls))
      p50s.get(name)?.push((await measure(call, LOAD)).p50);
  }
  const p50 = (name: string) => median(p50s.get(name) ?? []);
  const without = p50('no credential');
  const kinds = [...p50s.keys()].filter((name) => name !== 'no credential' && name !== 'select 1');
  return {
    without,
    roundTrip: p50('select 1'),
    kinds: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        { p50: p50(kind), added: round(p50(kind) - without), ratio: round(p50(kind) / without) },
      ]),
    ),
  };
}

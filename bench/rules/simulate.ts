/** Simulations of rules on requests of the past, and how long other reads take meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { percentiles, round, type Measured } from '../frame/load.ts';
import {
  ask,
  bearer,
  expectStatus,
  sender,
  type BenchService,
  type Parties,
} from '../frame/service.ts';

const REQUESTS = 10_000;
/** The copies are of that day, so that a simulation meets them alone. */
const DAY = { from_at: '2020-01-01T00:00:00Z', to_at: '2020-01-02T00:00:00Z' };
const READ_EVERY_MS = 5;

type Reads = Pick<Measured, 'p50' | 'p95' | 'max'>;

interface Simulated {
  readonly seconds: number;
  readonly pages: number;
  readonly changed: number;
  /** Other reads meanwhile, by path. */
  readonly reads: Readonly<Record<string, Reads>>;
}

export async function measureSimulations(
  service: BenchService,
  parties: Parties,
  { db }: { readonly db: pg.Client },
) {
  await fill(db, parties);
  const quiet = await readDuring(service, parties, delay(2_000));
  const simulations: Record<string, Simulated> = {};
  for (const [name, blocks] of Object.entries(DOCUMENTS)) {
    const simulating = simulateAll(parties, blocks);
    const reads = await readDuring(service, parties, simulating);
    simulations[name] = { ...(await simulating), reads };
  }
  return { requests: REQUESTS, quiet, simulations };
}

const rule = (id: string, when: object, outcome = 'deny') => ({
  ...{ id, name: id, type: 'cel' },
  config: { when: { id: `w-${id}`, ...when }, on_match: outcome, reason: id },
});
const amount = (operator: string, value: number) => ({
  field: '/request/arguments/amount',
  operator,
  value,
});

const DOCUMENTS = {
  'three rules': [
    rule('drops', { field: '/request/tool', operator: 'matches', value: '^(drop|truncate)_' }),
    rule('small', amount('less_than', 300), 'approve'),
    rule('huge', amount('greater_than', 900)),
  ],
  '100 rules': Array.from({ length: 100 }, (_, index) =>
    rule(`rule-${index}`, amount('equals', index + 0.5)),
  ),
};

/** Copies of one request: half of them approved by a rule, half handed to people. */
async function fill(db: pg.Client, { adapter }: Parties): Promise<void> {
  const { id } = await ask(adapter, 'slow');
  await db.query(
    `with copies as (
       insert into approval_requests (
         id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, server,
         arguments, timeout, idempotency_key, organization_pipeline_revision_id, agent_pipeline_revision_id, state,
         created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope)
       select gen_random_uuid(), organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id,
              tool, server, json_build_object('payment_id', 'pay_' || n, 'amount', n % 1000, 'reason', 'late delivery'), timeout,
              'simulate-' || n, organization_pipeline_revision_id, agent_pipeline_revision_id,
              case when n % 2 = 0 then 'approved' else 'expired' end,
              at, at + interval '1 day', at, at, case when n % 2 = 1 then at end,
              case when n % 2 = 1 then route_source end, case when n % 2 = 1 then route_scope end
         from approval_requests, generate_series(1, $2::int) as n,
              lateral (select cast($3 as timestamptz) + n * interval '1 second' as at) as t
        where id = $1
       returning id, organization_id, created_at, state
     )
     insert into decisions (id, request_id, organization_id, status, channel, authentication, idempotency_key, decided_at, expires_at)
     select gen_random_uuid(), id, organization_id, 'approved', 'pipeline', '{"method":"system","assurance":"strong"}',
            'pipeline:' || id, created_at, created_at + interval '1 day'
       from copies where state = 'approved'`,
    [id, REQUESTS, DAY.from_at],
  );
  await db.query('vacuum analyze approval_requests');
}

async function simulateAll(
  { owner, agentSlug }: Parties,
  blocks: readonly object[],
): Promise<Omit<Simulated, 'reads'>> {
  const call = `POST /api/v1/request-approval-pipelines/agents/${agentSlug}/simulate`;
  const startedAt = performance.now();
  let [pages, evaluated, changed] = [0, 0, 0];
  let cursor: unknown;
  do {
    const page = { blocks, ...DAY, limit: 2_000, ...(cursor !== undefined && { cursor }) };
    const { body } = await expectStatus(200, owner(call, page));
    pages += 1;
    evaluated += Number(body['evaluated']);
    changed += Number(body['changed']);
    cursor = body['next_cursor'];
  } while (cursor !== undefined);
  if (evaluated !== REQUESTS) throw new Error(`evaluated ${evaluated} requests`);
  return { seconds: round((performance.now() - startedAt) / 1_000), pages, changed };
}

const PATHS = {
  me: '/api/v1/me',
  queue: '/api/v1/requests?limit=20',
  pipeline: '/api/v1/request-approval-pipelines/organization',
};

/** Reads each path over and over until the other work is over. */
async function readDuring(
  { url }: BenchService,
  { tokens }: Parties,
  work: Promise<unknown>,
): Promise<Record<string, Reads>> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  const isOver = () => over;
  const send = sender(url, bearer(tokens.owner));
  const reading = Object.entries(PATHS).map(async ([name, path]): Promise<[string, Reads]> => {
    const times: number[] = [];
    while (!isOver()) {
      const startedAt = performance.now();
      await expectStatus(200, send(`GET ${path}`));
      times.push(performance.now() - startedAt);
      await delay(READ_EVERY_MS);
    }
    const { p50, p95, max } = percentiles(times);
    return [name, { p50, p95, max }];
  });
  await ended;
  return Object.fromEntries(await Promise.all(reading));
}

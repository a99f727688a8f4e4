/**
 * How long other callers wait while one caller sends the most expensive bodies, and reads the
 * longest lists. Meanwhile a light caller reads its own name every few milliseconds.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { Agent, request } from 'undici';
import { percentiles, round } from './frame/load.ts';
import { ask, bearer, type BenchService, type Parties } from './frame/service.ts';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS = 3;
const CALLS_EACH = 3;
const LIGHT_EVERY_MS = 5;

interface Heavy {
  readonly path: string;
  /** The body of a POST. Absent for a GET. */
  readonly text?: string | Buffer;
  /** Default: a new one for each call. */
  readonly idempotencyKey?: string;
}

const filled = (item: (index: number) => string, bytes = MEGABYTE - 300): string => {
  const items: string[] = [];
  for (let size = 0, index = 0; ; index += 1) {
    const next = item(index);
    size += next.length + 1;
    if (size > bytes) return items.join(',');
    items.push(next);
  }
};
const times = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(',');

const ADAPTER = '/api/aap/v1/requests';
const asked = (given: string) => `{"tool":"pay","timeout":"1h","arguments":${given}}`;
const list = (items: string) => asked(`{"list":[${items}]}`);
const leaf = (id: string, value = '"n"') =>
  `{"id":"${id}","field":"/request/tool","operator":"equals","value":${value}}`;
const block = (index: number, leaves: number) =>
  `{"id":"b${index}","name":"B","type":"cel","config":{"on_match":"deny","reason":"r","when":{"id":"w${index}","any":[${times(leaves, (each) => leaf(`l${index}-${each}`))}]}}}`;
const node = (index: number) =>
  `{"id":"00000000-0000-4000-8000-${String(index).padStart(12, '0')}","type":"if_else","conditions":[${times(10, (each) => `{"type":"request","when":${leaf(`c${index}-${each}`)}}`)}]}`;

/** In this order: the lists hold what was sent before. `longRequest`: the id of a request with a long timeline. */
function heavyCalls({ agentSlug }: Parties, longRequest: string): Readonly<Record<string, Heavy>> {
  const pipeline = '/api/v1/request-approval-pipelines/organization';
  const sample = `{"request":{"tool":"pay","arguments":{}},"agent":{"slug":"${agentSlug}","name":"A"}}`;
  const numbers = list(filled((index) => `${index}.5`));
  const idempotencyKey = randomUUID();
  return {
    'sign-in, 1 MB of {}': { path: '/auth/login', text: `[${filled(() => '{}')}]` },
    '80,000 unknown members': {
      path: ADAPTER,
      text: `{${times(80_000, (index) => `"k${index}":1`)}}`,
    },
    'nesting of 100': {
      path: ADAPTER,
      text: list(filled(() => '['.repeat(90) + ']'.repeat(90))),
    },
    'nesting of 1,000': {
      path: ADAPTER,
      text: list(filled(() => '['.repeat(1_000) + ']'.repeat(1_000))),
    },
    'arguments of numbers': { path: ADAPTER, text: numbers },
    'arguments of short strings': { path: ADAPTER, text: list(filled(() => '"ab"')) },
    'arguments of keys': { path: ADAPTER, text: asked(`{${filled((index) => `"k${index}":1`)}}`) },
    'first of a replay': { path: ADAPTER, text: numbers, idempotencyKey },
    'its replay, spaced otherwise': {
      path: ADAPTER,
      text: numbers.replace('"arguments":{"list":[', '"arguments":{"list":[ '),
      idempotencyKey,
    },
    'a duplicate member at the end': {
      path: ADAPTER,
      text: asked(`{${filled((index) => `"k${index}":1`)},"k0":2}`),
    },
    'invalid UTF-8': {
      path: ADAPTER,
      text: Buffer.concat([Buffer.from(numbers.slice(0, -3)), Buffer.from([0xff])]),
    },
    'preview of 20 blocks with 499 leaves': {
      path: `${pipeline}/preview`,
      text: `{"blocks":[${times(20, (index) => block(index, 499))}],"sample":${sample}}`,
    },
    'escalation path of 500 nodes': {
      path: '/api/v1/escalation-paths/preview',
      text: `{"document":{"name":"L","nodes":[${times(500, node)}]}}`,
    },
    'pipeline of 20 blocks with 499 leaves': {
      path: `${pipeline}/revisions`,
      text: `{"blocks":[${times(20, (index) => block(index, 499))}]}`,
    },
    'list of 50 requests of 1 MB': { path: '/api/v1/requests?limit=50' },
    'list of its 9 revisions': { path: `${pipeline}/revisions?limit=50` },
    'timeline of 50,000 events': { path: `/api/v1/requests/${longRequest}/timeline` },
  };
}

/**
 * For each call: its answer, the wait of a light caller, and how long the event loop was held, in
 * milliseconds.
 */
export async function measureStall(
  service: BenchService,
  parties: Parties,
  { db }: { readonly db: pg.Client },
) {
  const { tokens } = parties;
  const longRequest = await askedLongAgo(parties, db);
  const heavy = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const light = new Agent({ connections: 20 });
  const results: Record<string, Stall> = {};
  await lightCalls(light, { url: service.url, token: tokens.owner, until: delay(1_000) });
  for (const [name, call] of Object.entries(heavyCalls(parties, longRequest))) {
    await longestHold(service.url);
    const statuses: string[] = [];
    const sent = Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let count = 0; count < CALLS_EACH; count += 1)
          statuses.push(await send(heavy, { url: service.url, tokens, call }));
      }),
    );
    const until = sent.then(() => delay(50));
    const waits = await lightCalls(light, { url: service.url, token: tokens.owner, until });
    const { p50, p99, max } = percentiles(waits);
    const held = await longestHold(service.url);
    results[name] = { answers: [...new Set(statuses)].sort().join(', '), p50, p99, max, held };
  }
  await Promise.all([heavy.destroy(), light.close()]);
  return results;
}

/** A request that was notified thousands of times. */
async function askedLongAgo({ adapter }: Parties, db: pg.Client): Promise<string> {
  const id = String((await ask(adapter, 'slow'))['id']);
  await db.query(
    `insert into audit_events
            (id, organization_id, event_type, actor_type, subject_type, subject_id, data, occurred_at)
     select gen_random_uuid(), organization_id, 'approval_request.level_notified', 'system', 'approval_request',
            cast(id as text), json_build_object('run', n), clock_timestamp()
       from approval_requests, generate_series(1, 50000) n where id = $1`,
    [id],
  );
  return id;
}

interface Stall {
  readonly answers: string;
  /** Of the light caller. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly held: number;
}

/** The status, or the end of the connection: a body over the limit may be cut off. */
async function send(
  dispatcher: Agent,
  { url, tokens, call }: { url: string; tokens: Parties['tokens']; call: Heavy },
): Promise<string> {
  const { path, text, idempotencyKey = randomUUID() } = call;
  const token = path === ADAPTER ? tokens.adapter : tokens.owner;
  const headers = {
    'content-type': 'application/json',
    ...(path === '/auth/login' ? {} : bearer(token)),
    ...(path === ADAPTER ? { 'idempotency-key': idempotencyKey } : {}),
  };
  try {
    const answer = await request(`${url}${path}`, {
      dispatcher,
      method: text === undefined ? 'GET' : 'POST',
      headers,
      ...(text !== undefined && { body: text }),
      headersTimeout: 120_000,
    });
    await answer.body.dump({ limit: Infinity });
    return String(answer.statusCode);
  } catch {
    return 'cut off';
  }
}

/**
 * The duration of each call. One is sent every few milliseconds, whether or not the one before is
 * answered.
 */
async function lightCalls(
  dispatcher: Agent,
  { url, token, until }: { url: string; token: string; until: Promise<unknown> },
): Promise<number[]> {
  const waits: number[] = [];
  const calls: Promise<void>[] = [];
  const call = async (): Promise<void> => {
    const started = performance.now();
    const answer = await request(`${url}/api/v1/me`, { dispatcher, headers: bearer(token) });
    await answer.body.dump();
    waits.push(performance.now() - started);
  };
  const ended = until.then(() => 'ended' as const);
  while ((await Promise.race([ended, delay(LIGHT_EVERY_MS)])) !== 'ended') calls.push(call());
  await Promise.all(calls);
  return waits;
}

/** The longest delay of the event loop since the last call. */
async function longestHold(url: string): Promise<number> {
  const answer = await request(`${url}/metrics`);
  const seconds = /^nodejs_eventloop_lag_max_seconds ([0-9.e+-]+)$/m.exec(await answer.body.text());
  return round(Number(seconds?.[1] ?? NaN) * 1_000);
}

/**
 * Thousands of levels with one due instant: how soon everyone is notified, and the cost of
 * decisions meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { percentiles, type Measured } from './frame/load.ts';
import {
  ask,
  bearer,
  decide,
  expectStatus,
  sender,
  type BenchService,
  type Parties,
} from './frame/service.ts';

type Lateness = Pick<Measured, 'p50' | 'p95' | 'p99' | 'max'>;

export interface BurstResult {
  readonly requests: number;
  /** Milliseconds between the due instant of a level and its notification, without other load. */
  readonly quiet: Lateness;
  /** Seconds after the common due instant. */
  readonly notified: Lateness;
  /** The same for messages, at the receiver of webhooks. */
  readonly received: Lateness;
  /** Levels notified, and messages received, more than once. */
  readonly twice: number;
  /** Of one caller who keeps deciding other requests. */
  readonly decisions: Lateness & { readonly calls: number };
}

const MINUTE_MS = 60_000;
const GIVE_UP_MS = 10 * MINUTE_MS;
const QUIET_REQUESTS = 20;
const CREATORS = 16;
const DECISION_EVERY_MS = 200;

interface Burst {
  readonly due: Date;
  readonly ids: ReadonlySet<string>;
}

export async function measureBurst(
  { url }: BenchService,
  parties: Parties,
  { db, requests }: { readonly db: pg.Client; readonly requests: number },
): Promise<BurstResult> {
  const receiver = await startReceiver();
  const channel = { kind: 'webhook', name: 'Bench', url: receiver.url };
  const { body } = await expectStatus(
    201,
    parties.browser('POST /api/v1/notification_channels', channel),
  );
  const { id: channelId } = body['notification_channel'] as { id: string };
  const all = { parties, url, db };

  const quiet = await defer(all, {
    requests: QUIET_REQUESTS,
    due: wholeMinute(Date.now() + 15_000),
  });
  await untilNotified(db, quiet);
  const began = Date.now();
  const others = [...(await askMany(parties.adapter, 600))];
  const creating = ((Date.now() - began) * requests) / others.length;
  const burst = await defer(all, {
    requests,
    due: wholeMinute(Date.now() + creating * 1.3 + 10_000),
  });
  await delay(Math.max(0, burst.due.getTime() - Date.now()));
  const over = new AbortController();
  const deciding = decideAllTheWhile(parties, others, over.signal);
  await untilNotified(db, burst);
  await until(() => Promise.resolve(received(receiver, burst).length >= requests));
  over.abort();
  const decisions = await deciding;

  const messages = received(receiver, burst);
  // Directly in the database, because the session may be too old for this operation.
  await db.query('update notification_channels set enabled = false where id = $1', [channelId]);
  await receiver.close();
  return {
    requests,
    quiet: percentiles(await notifiedAfter(db, quiet)),
    notified: inSeconds(await notifiedAfter(db, burst)),
    received: inSeconds(messages.map(([first = NaN]) => first - burst.due.getTime())),
    twice: messages.filter((times) => times.length > 1).length + (await notifiedTwice(db, burst)),
    decisions: { calls: decisions.length, ...percentiles(decisions) },
  };
}

function wholeMinute(notBefore: number): Date {
  return new Date(Math.ceil(notBefore / MINUTE_MS) * MINUTE_MS);
}

function inSeconds(milliseconds: readonly number[]): Lateness {
  return percentiles(milliseconds.map((each) => each / 1_000));
}

interface All {
  readonly parties: Parties;
  readonly url: string;
  readonly db: pg.Client;
}

/**
 * Requests of a separate agent, whose path begins with a wait for working hours that start at
 * `due`.
 */
async function defer(
  { parties, url }: All,
  { requests, due }: { readonly requests: number; readonly due: Date },
): Promise<Burst> {
  const { owner, membershipId } = parties;
  const slug = `burst-${randomUUID().slice(0, 8)}`;
  const hours = {
    id: 'hours',
    name: 'Hours',
    timezone: 'UTC',
    intervals: [{ weekdays: WEEKDAYS, start: clock(due), end: clock(later(due)) }],
  };
  const level = {
    id: randomUUID(),
    type: 'level',
    targets: [{ type: 'user', id: membershipId }],
    escalate_after: '24h',
    raise_urgency: false,
  };
  const wait = {
    id: randomUUID(),
    type: 'defer',
    working_hours_id: hours.id,
    standard_only: false,
  };
  const path = { path_key: slug, name: 'Burst', working_hours: [hours], nodes: [wait, level] };
  await expectStatus(201, owner('POST /api/v1/escalation-paths', path));
  await expectStatus(
    200,
    owner(`POST /api/v1/escalation-paths/${slug}/revisions/1/activate`, undefined, {
      'if-match': '"0"',
    }),
  );
  await expectStatus(201, owner('POST /api/v1/agents', { slug, name: slug }));
  const instance = await expectStatus(
    201,
    owner(`POST /api/v1/agents/${slug}/instances`, { name: 'one' }),
  );
  const pipeline = `/api/v1/request-approval-pipelines/agents/${slug}/revisions`;
  await expectStatus(201, owner(`POST ${pipeline}`, { blocks: [], default_escalation_path: slug }));
  await expectStatus(200, owner(`POST ${pipeline}/2/activate`, undefined, { 'if-match': '"1"' }));
  const { token } = instance.body['credential'] as { token: string };
  const ids = await askMany(sender(url, bearer(token)), requests);
  if (Date.now() > due.getTime())
    throw new Error('the requests were not there when their levels fell due');
  return { due, ids };
}

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const clock = (at: Date): string => at.toISOString().slice(11, 16);
const later = (at: Date): Date => new Date(at.getTime() + 120 * MINUTE_MS);

async function askMany(adapter: Parties['adapter'], count: number): Promise<Set<string>> {
  const ids = new Set<string>();
  let left = count;
  const creator = async () => {
    while (left-- > 0) ids.add(String((await ask(adapter, 'slow'))['id']));
  };
  await Promise.all(Array.from({ length: CREATORS }, creator));
  return ids;
}

/**
 * Milliseconds of each decision. Decisions start at a steady pace, whatever the earlier ones take.
 */
async function decideAllTheWhile(
  { owner }: Parties,
  ids: string[],
  over: AbortSignal,
): Promise<number[]> {
  const times: number[] = [];
  const under: Promise<void>[] = [];
  for (let id = ids.pop(); id !== undefined && !over.aborted; id = ids.pop()) {
    const started = performance.now();
    under.push(decide(owner, id).then(() => void times.push(performance.now() - started)));
    await delay(DECISION_EVERY_MS);
  }
  await Promise.all(under);
  return times;
}

/** Milliseconds after `due`, for each notified level. */
async function notifiedAfter(db: pg.Client, { due, ids }: Burst): Promise<number[]> {
  const { rows } = await db.query<{ at: Date }>(
    `select at from escalation_steps where kind = 'notified' and request_id = any($1::uuid[])`,
    [[...ids]],
  );
  return rows.map(({ at }) => at.getTime() - due.getTime());
}

async function untilNotified(db: pg.Client, burst: Burst): Promise<void> {
  await until(async () => (await notifiedAfter(db, burst)).length >= burst.ids.size);
}

async function notifiedTwice(db: pg.Client, { ids }: Burst): Promise<number> {
  const { rows } = await db.query<{ twice: number }>(
    `select count(*) as twice from (
       select from notifications where request_id = any($1::uuid[]) group by request_id, membership_id having count(*) > 1) as n`,
    [[...ids]],
  );
  return Number(rows[0]?.twice);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const last = Date.now() + GIVE_UP_MS;
  while (!(await holds())) {
    if (Date.now() > last) throw new Error('not everyone was notified within ten minutes');
    await delay(1_000);
  }
}

interface Receiver {
  readonly url: string;
  /** When messages that ask for an answer arrived, by request. */
  readonly times: ReadonlyMap<string, readonly number[]>;
  close(): Promise<void>;
}

function received({ times }: Receiver, { ids }: Burst): (readonly number[])[] {
  return [...ids].flatMap((id) => {
    const came = times.get(id);
    return came ? [came] : [];
  });
}

async function startReceiver(): Promise<Receiver> {
  const times = new Map<string, number[]>();
  const server = createServer((request, response) => {
    void json(request).then((message) => {
      const { type, request: about } = message as { type: string; request: { id: string } };
      if (type === 'approval_request.notified')
        times.set(about.id, [...(times.get(about.id) ?? []), Date.now()]);
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    times,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

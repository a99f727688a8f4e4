/**
 * Thousands of messages due at one instant, over one channel of each kind in turn: how many a
 * second reach a receiver on this machine, and what they cost. Then single messages at a quiet
 * time.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { cpuSeconds, postgresSeconds } from '../frame/cpu.ts';
import { percentiles, round, type Measured } from '../frame/load.ts';
import type { Arrivals, Receivers } from './receivers.ts';
import { ask, expectStatus, type BenchService, type Parties } from '../frame/service.ts';

type Kind = keyof Arrivals;

export interface KindResult {
  readonly perSecond: number;
  /** Milliseconds of processor time per message. */
  readonly cpu: { readonly service: number; readonly postgres: number; readonly receiver: number };
  readonly twice: number;
  /** Milliseconds of a light call meanwhile. */
  readonly lightCall: Pick<Measured, 'p50' | 'p95' | 'max'>;
}

export interface SendersResult {
  readonly messages: number;
  readonly kinds: Readonly<Record<Kind, KindResult>>;
  /** Milliseconds from the answer to a new request until its webhook arrives, at a quiet time. */
  readonly quiet: Pick<Measured, 'p50' | 'p95' | 'max'>;
}

interface Sent {
  readonly db: pg.Client;
  readonly receivers: Receivers;
  readonly messages: number;
}

const GIVE_UP_MS = 120_000;
const CALL_EVERY_MS = 100;
const QUIET_MESSAGES = 40;
/** Compiled code is several times as fast. */
const WARM_UP = 1_000;

export async function measureSenders(
  service: BenchService,
  parties: Parties,
  sent: Sent,
): Promise<SendersResult> {
  const { db, receivers, messages } = sent;
  const channels = await openChannels(parties, sent);
  const template = String((await ask(parties.adapter, 'slow'))['id']);
  await delay(2_000);
  const kinds: Partial<Record<Kind, KindResult>> = {};
  for (const kind of ['email', 'webhook', 'slack'] as const) {
    await only(db, [channels[kind]]);
    const all = { ...sent, template, channel: channels[kind], kind };
    await burst(service, parties, { ...all, messages: WARM_UP });
    kinds[kind] = await burst(service, parties, all);
  }
  await only(db, [channels.webhook]);
  await receivers.take();
  const quiet = await singles(parties, receivers);
  await only(db, []);
  return { messages, kinds: kinds as Record<Kind, KindResult>, quiet };
}

/** One channel of each kind; the owner is linked in Slack. */
async function openChannels(
  { browser, membershipId }: Parties,
  { db, receivers }: Sent,
): Promise<Record<Kind, string>> {
  await expectStatus(
    200,
    browser('PUT /api/v1/slack', {
      bot_token: `xoxb-${randomUUID()}`,
      signing_secret: randomUUID().replaceAll('-', ''),
      default_channel: null,
    }),
  );
  const webhook = { kind: 'webhook', name: 'Senders', url: receivers.webhookUrl };
  const { body } = await expectStatus(201, browser('POST /api/v1/notification_channels', webhook));
  const { rows } = await db.query<{ kind: Kind; id: string }>(
    `select kind, id from notification_channels where kind <> 'webhook' and deleted_at is null`,
  );
  const idOf = (kind: Kind): string => rows.find((row) => row.kind === kind)?.id ?? '';
  await db.query(
    `insert into slack_links (membership_id, channel_id, slack_user_id, linked_at) values ($1, $2, 'U1', now())`,
    [membershipId, idOf('slack')],
  );
  return {
    email: idOf('email'),
    webhook: (body['notification_channel'] as { id: string }).id,
    slack: idOf('slack'),
  };
}

/** Directly in the database, because the session may be too old for this operation. */
async function only(db: pg.Client, ids: readonly string[]): Promise<void> {
  await db.query('update notification_channels set enabled = id = any($1::uuid[])', [ids]);
}

interface Burst extends Sent {
  /** The request whose copies the messages are about. */
  readonly template: string;
  readonly channel: string;
  readonly kind: Kind;
}

async function burst(
  service: BenchService,
  { owner }: Parties,
  { db, receivers, messages, template, channel, kind }: Burst,
): Promise<KindResult> {
  const ids = await copyRequests(db, template, messages);
  await receivers.take();
  const pid = service.process.pid ?? 0;
  const cpu = async () => [cpuSeconds(pid), await postgresSeconds(db), cpuSeconds(receivers.pid)];
  await enqueue(db, ids, channel);
  // The instant at which the messages became visible.
  const [began, before] = [Date.now(), await cpu()];
  const over = new AbortController();
  const calling = callAllTheWhile(() => owner('GET /api/v1/me'), over.signal);
  const times = new Map<string, number[]>();
  while (times.size < messages) {
    await delay(100);
    for (const [id, at] of (await receivers.take())[kind])
      times.set(id, [...(times.get(id) ?? []), ...at]);
    if (Date.now() > began + GIVE_UP_MS)
      throw new Error(`${times.size} of ${messages} messages arrived by ${kind}`);
  }
  over.abort();
  await untilRecorded(db, channel);
  const after = await cpu();
  const lightCall = percentiles(await calling);
  const last = Math.max(...[...times.values()].map(([first = NaN]) => first));
  const [ofService = NaN, ofPostgres = NaN, ofReceiver = NaN] = after.map((seconds, index) =>
    round(((seconds - (before[index] ?? NaN)) * 1_000) / messages),
  );
  return {
    perSecond: round(messages / ((last - began) / 1_000)),
    cpu: { service: ofService, postgres: ofPostgres, receiver: ofReceiver },
    twice: [...times.values()].filter((at) => at.length > 1).length,
    lightCall,
  };
}

/** Copies of a request that waits for people, with its level and notification. Urgent ones: of others most would go into digests. */
async function copyRequests(db: pg.Client, template: string, count: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `with made as (
       insert into approval_requests (
         id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, server,
         arguments, timeout, idempotency_key, organization_pipeline_revision_id, agent_pipeline_revision_id, state,
         created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope, urgency)
       select gen_random_uuid(), organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id,
              tool, server, arguments, timeout, gen_random_uuid(), organization_pipeline_revision_id,
              agent_pipeline_revision_id, state, created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope, 'interrupt'
         from approval_requests, generate_series(1, $2::int) where id = $1
       returning id
     ),
     levels as (
       insert into escalation_steps (request_id, step_key, run, node_id, team_id, kind, at, escalate_at)
       select made.id, s.step_key, s.run, s.node_id, s.team_id, s.kind, s.at, s.escalate_at
         from made, escalation_steps s where s.request_id = $1
     )
     insert into notifications (id, organization_id, request_id, step_key, membership_id, created_at)
     select gen_random_uuid(), n.organization_id, made.id, n.step_key, n.membership_id, n.created_at
       from made, notifications n where n.request_id = $1
     returning request_id as id`,
    [template, count],
  );
  if (rows.length !== count)
    throw new Error(`${rows.length} notifications instead of ${count}: who is notified?`);
  for (const table of ['approval_requests', 'escalation_steps', 'notifications'])
    await db.query(`analyze ${table}`);
  return rows.map(({ id }) => id);
}

async function enqueue(db: pg.Client, ids: readonly string[], channel: string): Promise<void> {
  await db.query(
    `insert into notification_deliveries (id, organization_id, channel_id, request_id, event, notification_id, next_attempt_at, created_at)
     select gen_random_uuid(), organization_id, $2, request_id, 'notified', id, clock_timestamp(), clock_timestamp()
       from notifications where request_id = any($1::uuid[])`,
    [ids, channel],
  );
}

async function untilRecorded(db: pg.Client, channel: string): Promise<void> {
  for (const last = Date.now() + GIVE_UP_MS; Date.now() < last; await delay(50)) {
    const { rows } = await db.query(
      'select 1 from notification_deliveries where channel_id = $1 and next_attempt_at is not null limit 1',
      [channel],
    );
    if (rows.length === 0) return;
  }
  throw new Error('not every outcome was recorded');
}

/** Milliseconds of each call. Calls start at a steady pace, whatever the earlier ones take. */
async function callAllTheWhile(call: () => Promise<unknown>, over: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  const under: Promise<void>[] = [];
  while (!over.aborted) {
    const started = performance.now();
    under.push(call().then(() => void times.push(performance.now() - started)));
    await delay(CALL_EVERY_MS);
  }
  await Promise.all(under);
  return times;
}

async function singles(
  { adapter }: Parties,
  receivers: Receivers,
): Promise<SendersResult['quiet']> {
  const answered = new Map<string, number>();
  for (let count = 0; count < QUIET_MESSAGES; count++) {
    const { id } = await ask(adapter, 'slow');
    answered.set(String(id), Date.now());
    await delay(150 + Math.random() * 300);
  }
  await delay(1_500);
  const arrived = (await receivers.take()).webhook;
  const waits = arrived.map(([id, [at = NaN]]) => at - (answered.get(id) ?? NaN));
  if (waits.length !== QUIET_MESSAGES)
    throw new Error(`${waits.length} of ${QUIET_MESSAGES} single messages arrived`);
  // A message can be faster than the answer to its request.
  return percentiles(waits.map((wait) => Math.max(0, wait)));
}

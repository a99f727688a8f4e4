/** A long audit log: sealed and indexed from nothing, read, and exported with proof. */
import { setTimeout as delay } from 'node:timers/promises';
import { measure } from './frame/load.ts';
import type { Bench, Figure } from './frame/section.ts';
import { expectStatus } from './frame/service.ts';
const FILL = `insert into audit_events (id, organization_id, event_type, actor_type, actor_id, subject_type, subject_id, data, occurred_at)
  select gen_random_uuid(), $1::uuid, 'bench.t' || n % 10, 'agent', 'agent-' || n % 211, 'approval_request', md5('r' || n / 6)::uuid,
         json_build_object('digest', encode(sha256(n::text::bytea), 'hex'), 'note', 'order ' || n || case when n % 9999 = 0 then ' zx' else '' end),
         now() - n * interval '20 s' from generate_series($2::int, 1, -1) n`;
const LISTS =
  ' event_type=bench.t3 actor_id=agent-7 sort=actor&order=asc q=order q=order+7777 q=zx q=12:30';
export async function measureAudit({ service, parties, db, countOf }: Bench) {
  const figures: Figure[] = [];
  const add = (what: string, measured: number | string, target: string) =>
    figures.push({ what: `${events} events of the audit log: ${what}`, measured, target });
  const rateOf = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await work();
    return Math.round((events * 1_000) / (performance.now() - began));
  };
  const events = countOf(200_000);
  await db.query(FILL, [parties.organizationId, events]);
  for (const table of ['audit_chain', 'audit_indexed']) {
    const last = `select from ${table} where position >= ${events} limit 1`;
    const wait = async () => {
      while ((await db.query(last)).rowCount === 0) await delay(100);
    };
    add(`${table}, a second`, await rateOf(wait), '');
  }
  await db.query('vacuum analyze');
  for (const query of LISTS.split(' ')) {
    const page = () => expectStatus(200, parties.owner(`GET /api/v1/audit?${query}`));
    const { p50, p95 } = await measure(page, { callers: 1, calls: 40 });
    add(`page of ${query}, p50 · p95 (ms)`, `${p50} · ${p95}`, 'p95 < 100 or 1000');
  }
  const file = `${service.url}/api/v1/audit/export?proof=true`;
  const { body } = await fetch(file, { headers: { cookie: parties.cookie } });
  add('export, a second', await rateOf(async () => body?.pipeTo(new WritableStream())), '≥ 20000');
  return figures;
}

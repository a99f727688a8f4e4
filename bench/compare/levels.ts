/** Many levels with one due instant: how soon everyone is notified. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { measure, percentiles, round } from '../frame/load.ts';
import { ask, expectStatus, type BenchService, type Parties, type Send } from '../frame/service.ts';
import { addDeferredAgent } from './deferred.ts';
import type { Job } from './system.ts';

const CREATORS = 16;
const SAMPLE = 64;
const GIVE_UP_MS = 10 * 60_000;

export function levelsJob(
  { url }: BenchService,
  parties: Parties,
  { db, settled }: { readonly db: pg.Client; readonly settled: () => Promise<void> },
): Job {
  return async ({ count }) => {
    const { ids: others, perSecond } = await askMany(parties.adapter, SAMPLE);
    await cancel(parties.adapter, others);
    const { adapter, due } = await addDeferredAgent(parties, url, {
      notBefore: Date.now() + (count / perSecond) * 1_500 + 5_000,
    });
    const { ids } = await askMany(adapter, count);
    if (Date.now() > due.getTime())
      throw new Error('the requests were not there when their levels fell due');
    await delay(due.getTime() - Date.now());
    return {
      run: async () => {
        const after = await untilNotified(db, ids, due);
        const { p50, p95, p99, max } = percentiles(after);
        const perSecond = round(count / (max / 1_000));
        return { callers: CREATORS, calls: count, p50, p95, p99, max, perSecond };
      },
      clear: async () => {
        await cancel(adapter, ids);
        await settled();
      },
    };
  };
}

async function askMany(adapter: Send, count: number) {
  const ids: string[] = [];
  const { perSecond } = await measure(
    async () => ids.push(String((await ask(adapter, 'slow'))['id'])),
    { callers: CREATORS, calls: count },
  );
  return { ids, perSecond };
}

async function cancel(adapter: Send, given: readonly string[]): Promise<void> {
  const ids = [...given];
  await measure(
    () => expectStatus(200, adapter(`DELETE /api/aap/v1/requests/${ids.pop() ?? ''}`)),
    { callers: CREATORS, calls: ids.length },
  );
}

/** Milliseconds after the due instant, for each request. */
async function untilNotified(db: pg.Client, ids: readonly string[], due: Date): Promise<number[]> {
  for (const last = Date.now() + GIVE_UP_MS; Date.now() < last; await delay(1_000)) {
    const { rows } = await db.query<{ at: Date }>(
      `select min(at) as at from escalation_steps
        where kind = 'notified' and request_id = any($1::uuid[]) group by request_id`,
      [ids],
    );
    if (rows.length === ids.length) return rows.map(({ at }) => at.getTime() - due.getTime());
  }
  throw new Error('not everyone was notified within ten minutes');
}

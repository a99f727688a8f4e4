/** The sections of the benchmark. */
import type pg from 'pg';
import { measureAccess } from './access.ts';
import { measureBlocks } from './blocks.ts';
import { measureAgents } from './agents/measure.ts';
import { measureBurst } from './burst.ts';
import { measureCancels } from './cancels.ts';
import { countEvents } from './histories.ts';
import type { Bench } from './bench.ts';
import { measure, round, type Load, type Measured } from './frame/load.ts';
import { measureParked } from './parked.ts';
import { fillWithPending } from './pending.ts';
import { measureQueue } from './queue.ts';
import { measureSenders } from './senders/measure.ts';
import { ask, decide, type Parties } from './frame/service.ts';
import { NAMESPACE } from './frame/say.ts';
import { measureSimulations } from './rules/simulate.ts';
import { measureStall } from './stall.ts';
import { measureWalk } from './walk.ts';
import { measureWeb } from './web/measure.ts';

const LATENCY: Load = { callers: 1, calls: 300 };

async function measureDecisions(parties: Parties): Promise<Measured> {
  const ids: string[] = [];
  for (let count = 0; count < 220; count++)
    ids.push(String((await ask(parties.adapter, 'slow'))['id']));
  const decideNext = async () => {
    await decide(parties.owner, ids.pop() ?? '');
  };
  await measure(decideNext, { callers: 1, calls: 20 });
  return await measure(decideNext, { callers: 1, calls: 200 });
}

async function compareFullTable(parties: Parties, db: pg.Client) {
  const before = await measure(() => ask(parties.adapter, 'fast'), LATENCY);
  await fillWithPending(db, parties, 10_000);
  const after = await measure(() => ask(parties.adapter, 'fast'), LATENCY);
  return {
    pending: 10_000,
    emptyP50: before.p50,
    fullP50: after.p50,
    ratio: round(after.p50 / before.p50),
  };
}

export const sections = {
  access: ({ service, parties, db }: Bench) => measureAccess(service, parties, db),
  blocks: (bench: Bench) => measureBlocks(bench),
  decision: ({ parties }: Bench) => measureDecisions(parties),
  events: ({ connection, db }: Bench) => countEvents(connection, { namespace: NAMESPACE, db }),
  parked: ({ service, parties, db }: Bench) =>
    measureParked(service, parties, { db, waits: 2_000, decisions: 500 }),
  cancels: ({ service, parties, connection }: Bench) =>
    measureCancels(service, parties, {
      connection,
      namespace: NAMESPACE,
      cancels: 1_200,
      withinMs: 5_000,
    }),
  stall: ({ service, parties, db }: Bench) => measureStall(service, parties, { db }),
  simulate: ({ service, parties, db }: Bench) => measureSimulations(service, parties, { db }),
  walk: () => Promise.resolve(measureWalk()),
  senders: ({ service, parties, db, receivers }: Bench) =>
    measureSenders(service, parties, { db, receivers, messages: 3_000 }),
  fullTable: ({ parties, db }: Bench) => compareFullTable(parties, db),
  burst: ({ service, parties, db }: Bench) =>
    measureBurst(service, parties, { db, requests: 10_000 }),
  web: (bench: Bench) => measureWeb(bench),
  // These come last, because two million requests of each stay in the table.
  queue: ({ service, parties, db }: Bench) =>
    measureQueue(service, parties, { db, pending: 100_000, past: 2_000_000 }),
  agents: (bench: Bench) => measureAgents(bench),
} satisfies Record<string, (bench: Bench) => Promise<unknown>>;

export type Results = {
  [Section in keyof typeof sections]?: Awaited<ReturnType<(typeof sections)[Section]>>;
};

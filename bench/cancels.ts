/**
 * A burst of cancels, each of which ends a workflow: how long creates by a rule take meanwhile, and
 * until the workflows have ended.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { cpuSeconds } from './frame/cpu.ts';
import { percentiles, round, type Measured } from './frame/load.ts';
import { ask, expectStatus, send, type BenchService, type Parties } from './frame/service.ts';

interface Latency extends Pick<Measured, 'p50' | 'p95' | 'p99' | 'max'> {
  readonly calls: number;
  /** Answered \`pending\`, because the create budget ran out. */
  readonly pending: number;
}

export interface CancelsResult {
  readonly cancels: number;
  /** Seconds until the last cancel was answered, and until every workflow had ended. */
  readonly cancelledWithin: number;
  readonly endedWithin: number;
  /** Of one caller, in milliseconds: before the burst, during it, and until the workflows ended. */
  readonly before: Latency;
  readonly during: Latency;
  readonly after: Latency;
  /** Processor time of the service per cancel, with the creates meanwhile. */
  readonly cpuMilliseconds: number;
}

const CREATORS = 8;
const CALLERS = 16;
const CREATE_EVERY_MS = 40;
/** Workflows of creates that may run at any time. */
const CREATING = 2;
const BEFORE_MS = 3_000;
/** After the workflows have ended, or when they do not. */
const AFTER_MS = 5_000;
const LONGEST_MS = 60_000;

export async function measureCancels(
  service: BenchService,
  { adapter }: Parties,
  options: {
    readonly connection: Connection;
    readonly namespace: string;
    readonly cancels: number;
    readonly withinMs: number;
  },
): Promise<CancelsResult> {
  const { cancels, withinMs } = options;
  const others = await runningWorkflows(options);
  const ids: string[] = [];
  const creator = async () => {
    while (ids.length < cancels) ids.push(String((await ask(adapter, 'slow'))['id']));
  };
  await Promise.all(Array.from({ length: CREATORS }, creator));
  const left = others + ids.length - cancels + CREATING;
  await delay(3_000);

  const over = new AbortController();
  const creating = createAllTheWhile(adapter, over.signal);
  await delay(BEFORE_MS);
  const cpu = cpuSeconds(service.process.pid ?? 0);
  const began = performance.now();
  const line = ids.slice(0, cancels).entries();
  const canceller = async () => {
    for (const [index, id] of line) {
      await delay(Math.max(0, began + (index * withinMs) / cancels - performance.now()));
      await expectStatus(200, adapter(`DELETE /api/aap/v1/requests/${id}`));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, canceller));
  const burstOver = performance.now();
  while ((await runningWorkflows(options)) > left && performance.now() < began + LONGEST_MS)
    await delay(250);
  const ended = performance.now();
  await delay(AFTER_MS);
  over.abort();
  const created = await creating;
  const between = (from: number, to: number): Latency => {
    const these = created.filter(({ at }) => at >= from && at < to);
    return {
      calls: these.length,
      pending: these.filter(({ status }) => status === 'pending').length,
      ...percentiles(these.map(({ took }) => took)),
    };
  };
  return {
    cancels,
    cancelledWithin: round((burstOver - began) / 1_000),
    endedWithin: round((ended - began) / 1_000),
    before: between(0, began),
    during: between(began, burstOver),
    after: between(burstOver, Math.max(ended, burstOver + 1_000)),
    cpuMilliseconds: round(((cpuSeconds(service.process.pid ?? 0) - cpu) * 1_000) / cancels),
  };
}

async function createAllTheWhile(adapter: Parties['adapter'], over: AbortSignal) {
  const created: { at: number; took: number; status: unknown }[] = [];
  while (!over.aborted) {
    const at = performance.now();
    const { body } = await expectStatus(201, send(adapter, 'fast'));
    created.push({ at, took: performance.now() - at, status: body['status'] });
    await delay(CREATE_EVERY_MS);
  }
  return created;
}

async function runningWorkflows({
  connection,
  namespace,
}: {
  readonly connection: Connection;
  readonly namespace: string;
}): Promise<number> {
  const { count } = await connection.workflowService.countWorkflowExecutions({
    namespace,
    query: 'ExecutionStatus = "Running"',
  });
  return Number(count);
}

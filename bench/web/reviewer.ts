/**
 * What a request costs its reviewer: the work of the main thread, in processor time, from the navigation to a page on which
 * one can decide, and that rests. Beside that of a usual request, whatever an agent sends.
 */
import { randomUUID } from 'node:crypto';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { median, round } from '../frame/load.ts';
import type { Bench, Figure } from '../frame/section.ts';
import { expectStatus, type Parties } from '../frame/service.ts';
import { startBrowser, timeUntil, visit } from './pages.ts';
import { USUAL_CALL, SHAPES } from './shapes.ts';

const LOADS = 5;

/** Approve may be off until a long value is opened. Deny is on once the request is drawn. */
const CAN_DECIDE = `[...document.querySelectorAll('button')].some(
  (button) => button.textContent.startsWith('Deny') && !button.disabled)`;

/** After the last work of the page, such as of parts that are drawn later. */
const REST_MS = 1_500;

interface Cost {
  readonly work: number;
  readonly longest: number;
  readonly nodes: number;
}

const LONG_TASKS = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(longest, duration);
  }).observe({ type: 'longtask', buffered: true });`;

export async function measureReviewer({
  parties,
  service,
  countOf,
}: Bench): Promise<readonly Figure[]> {
  const browser = await startBrowser();
  try {
    await expectStatus(204, parties.owner('POST /api/v1/organization/onboarding/complete'));
    const shapes = new Map<string, string>();
    for (const [name, call] of Object.entries({ usual: USUAL_CALL, ...SHAPES }))
      shapes.set(name, await askWith(parties, call));
    const costs = new Map<string, Cost[]>([...shapes.keys()].map((name) => [name, []]));
    // Shapes take turns, so that what else the machine does meets all of them. The first turn warms the servers.
    for (let turn = 0; turn <= countOf(LOADS); turn += 1)
      for (const [name, id] of shapes) {
        const cost = await costOf(browser, `${service.url}/requests/${id}?tab=all`, parties.cookie);
        if (turn > 0) costs.get(name)?.push(cost);
      }
    const usual = median((costs.get('usual') ?? []).map(({ work }) => work));
    return [...costs].map(([name, each]) => figureOf(name, each, usual));
  } finally {
    await browser.close();
  }
}

function figureOf(name: string, costs: readonly Cost[], usual: number): Figure {
  const work = median(costs.map((cost) => cost.work));
  const longest = median(costs.map((cost) => cost.longest));
  const nodes = Math.max(...costs.map((cost) => cost.nodes));
  return {
    what: `${name}: ÷ the usual request · work (ms) · longest task (ms) · elements`,
    measured: `${round(work / usual)} · ${round(work)} · ${round(longest)} · ${nodes}`,
    target: '≤ 1.5',
  };
}

async function askWith({ adapter }: Parties, call: object): Promise<string> {
  const body = { tool: 'slow', timeout: '24h', ...call };
  const answer = await expectStatus(
    201,
    adapter('POST /api/aap/v1/requests', body, { 'idempotency-key': randomUUID() }),
  );
  return String(answer.body['id']);
}

async function costOf(browser: Browser, url: string, cookie: string): Promise<Cost> {
  const prepare = async (page: Page, devtools: CDPSession) => {
    await page.addInitScript(LONG_TASKS);
    // Of the thread itself: what else runs on the machine does not count.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  };
  return await visit(
    browser,
    { url, cookie, content: 'article', prepare },
    async (page, devtools) => {
      await timeUntil(page, CAN_DECIDE);
      await page.waitForTimeout(REST_MS);
      return {
        work: await workOf(devtools),
        longest: await page.evaluate<number>('longest'),
        nodes: await page.evaluate<number>('document.querySelectorAll("*").length'),
      };
    },
  );
}

/** Milliseconds since the page began. */
async function workOf(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

/** The web app in Chromium: the largest paint of its screens, long lists, large arguments, and what others decide. */
import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import type { Bench } from '../bench.ts';
import { median, percentiles, round } from '../frame/load.ts';
import { fillWithPending } from '../pending.ts';
import { ask, expectStatus, type Parties } from '../frame/service.ts';
import { startBarePage } from './bare-page.ts';
import { measureElsewhere } from './elsewhere.ts';
import { measureLoads } from './loads.ts';
import { startBrowser, timeFromClick, timeUntil, visit, type Visit } from './pages.ts';
import { measureScroll } from './scroll.ts';

const LOADS = 9;
const LARGE_LOADS = 5;
const DECISIONS = 20;
/** What a reviewer finds on a usual morning. */
const USUAL_ROWS = 40;
const MANY_ROWS = 10_000;

const VALUES = 100_000;
/** Almost 1 MiB, the most that a call may have. */
const LARGE = {
  values: Array.from({ length: VALUES }, (_, index) =>
    index < 45_000 ? 100_000.125 + index : 100_000.25 + index,
  ),
};

const ROWS = 'li[data-index]';

/** Approve is off until the digest of what was drawn is that of the service. */
const CAN_APPROVE = `[...document.querySelectorAll('button')].some(
  (button) => button.textContent.startsWith('Approve') && !button.disabled)`;

export async function measureWeb({ parties, service, db, directory }: Bench) {
  const browser = await startBrowser();
  const bare = await startBarePage(directory, JSON.stringify(LARGE));
  try {
    await expectStatus(204, parties.owner('POST /api/v1/organization/onboarding/complete'));
    for (let count = 0; count < USUAL_ROWS; count += 1) await ask(parties.adapter, 'slow');
    const { id } = await ask(parties.adapter, 'slow');
    const page = (path: string, content: string): Visit => ({
      ...{ url: service.url + path, cookie: parties.cookie, content },
    });
    const queue = page('/?tab=all', ROWS);
    const loads = await measureLoads(
      browser,
      {
        bare: { url: `${bare.url}/bare`, content: 'p' },
        login: { url: `${service.url}/login`, content: 'form' },
        queue,
        request: page(`/requests/${String(id)}?tab=all`, 'article'),
      },
      LOADS,
    );
    const largeId = await askLarge(parties);
    const large = await measureLarge(browser, {
      request: page(`/requests/${largeId}?tab=all`, 'button'),
      row: { ...queue, content: `${ROWS} a[href*="${largeId}"]` },
      naive: { url: `${bare.url}/naive`, content: 'button' },
    });
    const elsewhere = await measureElsewhere(browser, parties, { queue, rounds: DECISIONS });
    await fillWithPending(db, parties, MANY_ROWS);
    const scroll = await measureScroll(browser, queue, MANY_ROWS);
    return { loads, large, elsewhere, rows: MANY_ROWS, scroll };
  } finally {
    await bare.stop();
    await browser.close();
  }
}

async function askLarge({ adapter }: Parties): Promise<string> {
  const body = { tool: 'import', timeout: '24h', arguments: LARGE };
  const answer = await expectStatus(
    201,
    adapter('POST /api/aap/v1/requests', body, { 'idempotency-key': randomUUID() }),
  );
  return String(answer.body['id']);
}

/** Milliseconds until one can approve: from the navigation to a page, and from the click on a row of the queue. */
async function measureLarge(
  browser: Browser,
  pages: { readonly request: Visit; readonly row: Visit; readonly naive: Visit },
) {
  const times = { request: [] as number[], row: [] as number[], naive: [] as number[] };
  for (let count = 0; count < LARGE_LOADS; count += 1) {
    for (const name of ['request', 'naive'] as const)
      times[name].push(await visit(browser, pages[name], (page) => timeUntil(page, CAN_APPROVE)));
    times.row.push(
      await visit(browser, pages.row, (page) => timeFromClick(page, pages.row, CAN_APPROVE)),
    );
  }
  const { p50, max } = percentiles(times.request);
  const naive = median(times.naive);
  const row = percentiles(times.row);
  return {
    values: VALUES,
    p50,
    max,
    row: { p50: row.p50, max: row.max },
    naive,
    ratio: round(p50 / naive),
  };
}

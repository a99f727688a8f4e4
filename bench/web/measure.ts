/** The web app in Chromium: the largest paint of its screens, and large arguments. */
import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { median, percentiles, round } from '../frame/load.ts';
import type { Bench, Figure } from '../frame/section.ts';
import { ask, expectStatus, type Parties } from '../frame/service.ts';
import { startBarePage } from './bare-page.ts';
import { measureLoads, type Painted } from './loads.ts';
import { startBrowser, timeFromClick, timeUntil, visit, type Visit } from './pages.ts';

const LOADS = 9;
const LARGE_LOADS = 5;
/** What a reviewer finds on a usual morning. */
const USUAL_ROWS = 40;

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

export async function measureWeb({
  parties,
  service,
  directory,
  countOf,
}: Bench): Promise<readonly Figure[]> {
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
      countOf(LOADS),
    );
    const largeId = await askLarge(parties);
    const large = await measureLarge(browser, countOf(LARGE_LOADS), {
      request: page(`/requests/${largeId}?tab=all`, 'button'),
      row: { ...queue, content: `${ROWS} a[href*="${largeId}"]` },
      naive: { url: `${bare.url}/naive`, content: 'button' },
    });
    return [...loadFigures(loads), ...large];
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
  loads: number,
  pages: { readonly request: Visit; readonly row: Visit; readonly naive: Visit },
) {
  const times = { request: [] as number[], row: [] as number[], naive: [] as number[] };
  for (let count = 0; count < loads; count += 1) {
    for (const name of ['request', 'naive'] as const)
      times[name].push(await visit(browser, pages[name], (page) => timeUntil(page, CAN_APPROVE)));
    times.row.push(
      await visit(browser, pages.row, (page) => timeFromClick(page, pages.row, CAN_APPROVE)),
    );
  }
  const { p50, max } = percentiles(times.request);
  const naive = median(times.naive);
  const row = percentiles(times.row);
  return [
    {
      what: `${VALUES} values: one can approve, p50 · worst (ms) · ÷ the naive page`,
      measured: `${p50} · ${max} · ${round(p50 / naive)}`,
      target: '≤ 1,000',
    },
    {
      what: 'the same from the click on its row, p50 · worst (ms)',
      measured: `${row.p50} · ${row.max}`,
      target: '≤ 1,000',
    },
  ];
}

function loadFigures({ bare, ...screens }: Readonly<Record<string, Painted>>): Figure[] {
  return [
    { what: 'largest paint of a bare React page, p50 (ms)', measured: bare?.p50 ?? '', target: '' },
    ...Object.entries(screens).map(([screen, { p50, ratio }]) => ({
      what: `largest paint of ${screen}, p50 (ms) · ÷ the bare page`,
      measured: `${p50} · ${ratio}`,
      target: '≤ 2.2',
    })),
  ];
}

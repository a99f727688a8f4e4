/** How soon a request leaves the list of a reviewer when someone else decides it. */
import type { Browser } from 'playwright-core';
import { percentiles, type Measured } from '../frame/load.ts';
import { ask, decide, type Parties } from '../frame/service.ts';
import { timeUntil, visit, type Visit } from './pages.ts';

export async function measureElsewhere(
  browser: Browser,
  parties: Parties,
  { queue, rounds }: { readonly queue: Visit; readonly rounds: number },
): Promise<Pick<Measured, 'p50' | 'p95' | 'max'>> {
  const ids: string[] = [];
  for (let count = 0; count < rounds; count += 1)
    ids.push(String((await ask(parties.adapter, 'slow'))['id']));
  return await visit(browser, queue, async (page) => {
    const times: number[] = [];
    // The newest come first, so they are in the page.
    for (const id of ids.reverse()) {
      const row = `document.querySelector('li a[href*="${id}"]')`;
      await timeUntil(page, row);
      const gone = page.evaluate<number>(`when(() => !${row}).then(() => Date.now())`);
      const sent = Date.now();
      await decide(parties.owner, id);
      times.push((await gone) - sent);
    }
    const { p50, p95, max } = percentiles(times);
    return { p50, p95, max };
  });
}

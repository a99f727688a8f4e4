/** When the largest content of a screen is painted, on a slow processor, beside a bare React page. */
import type { Browser } from 'playwright-core';
import { median, percentiles, round, type Measured } from '../frame/load.ts';
import { largestPaint, visit, type Visit } from './pages.ts';

/** Mid-range phones are about so much slower than a desk. */
export const SLOWDOWN = 4;

export interface Painted extends Pick<Measured, 'p50' | 'max'> {
  /** Of the medians: this screen ÷ the bare page. */
  readonly ratio: number;
}

/** Screens take turns, so that what else the machine does meets all of them. */
export async function measureLoads(
  browser: Browser,
  { bare, ...screens }: { readonly bare: Visit } & Readonly<Record<string, Visit>>,
  rounds: number,
): Promise<Readonly<Record<string, Painted>>> {
  const all: [string, Visit][] = [['bare', bare], ...Object.entries(screens)];
  const paints = new Map<string, number[]>(all.map(([name]) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, given] of all) {
      const paint = await visit(browser, { ...given, slowdown: SLOWDOWN }, (page) =>
        largestPaint(page, given),
      );
      // The first round warms the servers.
      if (round > 0) paints.get(name)?.push(paint);
    }
  }
  const floor = median(paints.get('bare') ?? []);
  return Object.fromEntries(
    [...paints].map(([name, times]) => {
      const { p50, max } = percentiles(times);
      return [name, { p50, max, ratio: round(p50 / floor) }];
    }),
  );
}

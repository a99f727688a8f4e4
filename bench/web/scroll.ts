/** Scrolls through a long queue, and watches frames and rows. */
import type { Browser } from 'playwright-core';
import { percentiles, round, type Measured } from '../frame/load.ts';
import { timeUntil, visit, type Visit } from './pages.ts';

const PIXELS_A_FRAME = 420;
const SECONDS = 120;

/** Frames count only while the list moves: waiting for its next page is easy. */
const SCROLL = (rows: number): string => `(async () => {
  const rowsShown = () => document.querySelectorAll('li[data-index]');
  const scroller = rowsShown()[0].parentElement.parentElement;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const frames = [];
  let [mostRows, reached, place] = [0, 0, 0];
  let last = await frame();
  const end = last + ${SECONDS} * 1000;
  while (reached < ${rows} && last < end) {
    const before = place;
    scroller.scrollTop = before + ${PIXELS_A_FRAME};
    const now = await frame();
    place = scroller.scrollTop;
    if (place > before) frames.push(now - last);
    last = now;
    const shown = rowsShown();
    mostRows = Math.max(mostRows, shown.length);
    reached = Math.max(reached, ...[...shown].map((row) => Number(row.dataset.index) + 1));
  }
  return { frames, mostRows, reached };
})()`;

interface Scrolled {
  readonly frames: readonly number[];
  readonly mostRows: number;
  readonly reached: number;
}

export interface ScrollResult {
  /** The last row that was reached. */
  readonly reached: number;
  /** At most, in the page at one time. */
  readonly mostRows: number;
  readonly frames: number;
  /** Milliseconds between two frames. */
  readonly frame: Pick<Measured, 'p50' | 'p95' | 'max'>;
  /** The share of frames that took longer than two. */
  readonly dropped: number;
}

export async function measureScroll(
  browser: Browser,
  queue: Visit,
  rows: number,
): Promise<ScrollResult> {
  const { frames, mostRows, reached } = await visit(browser, queue, async (page) => {
    await timeUntil(page, `document.querySelector('li[data-index]')`);
    return await page.evaluate<Scrolled>(SCROLL(rows));
  });
  const { p50, p95, max } = percentiles(frames);
  const dropped = frames.filter((ms) => ms > 34).length / frames.length;
  return {
    reached,
    mostRows,
    frames: frames.length,
    frame: { p50, p95, max },
    dropped: round(dropped),
  };
}

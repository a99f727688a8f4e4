/** Pages of Chromium that are loaded cold, and what they report. */
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { CHROMIUM_FLAGS, headlessShellPath } from './browsers.ts';

const DESK = { width: 1280, height: 800 };
const LIMIT_MS = 180_000;
/** A page that shows its content paints nothing larger after so much quiet. */
const QUIET_MS = 500;

/** Runs before the page's own scripts. `when` answers the page's time at the first frame in which the test holds. */
const INSTRUMENTS = `
  globalThis.largestPaint = { startTime: 0 };
  new PerformanceObserver((list) => { globalThis.largestPaint = list.getEntries().at(-1); })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  globalThis.when = (test) => new Promise((resolve) => {
    const look = () => (test() ? resolve(performance.now()) : requestAnimationFrame(look));
    look();
  });`;

/** The headless shell where there is one: the whole Chromium loads parts of its own interface beside a new page. */
export async function startBrowser(): Promise<Browser> {
  if (headlessShellPath === undefined)
    throw new OperatorError('There is no Chromium. Install it, or set CHROMIUM to its path.');
  return await chromium.launch({ executablePath: headlessShellPath, args: CHROMIUM_FLAGS });
}

export interface Visit {
  readonly url: string;
  /** Who is signed in. Default: no one. */
  readonly cookie?: string;
  /** Selects what the page shows last. */
  readonly content: string;
  /** How many times slower the processor is. Default: 1. */
  readonly slowdown?: number;
  /** Before the page is loaded. */
  readonly prepare?: (page: Page, devtools: CDPSession) => Promise<void>;
}

/** Loads the page with an empty cache, uses it, and closes it. */
export async function visit<Result>(
  browser: Browser,
  { url, cookie, slowdown = 1, prepare }: Visit,
  use: (page: Page, devtools: CDPSession) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: DESK });
  try {
    context.setDefaultTimeout(LIMIT_MS);
    const [name = '', value = ''] = cookie?.split('=') ?? [];
    if (cookie !== undefined) await context.addCookies([{ name, value, url: new URL(url).origin }]);
    await context.addInitScript(INSTRUMENTS);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await prepare?.(page, devtools);
    await page.goto(url, { waitUntil: 'commit' });
    return await use(page, devtools);
  } finally {
    await context.close();
  }
}

/** Milliseconds from the navigation to the first frame in which the expression is true. */
export const timeUntil = (page: Page, expression: string): Promise<number> =>
  page.evaluate<number>(`when(() => ${expression})`);

/** Milliseconds from the click on the visit's content to the first frame in which the expression is true. */
export async function timeFromClick(
  page: Page,
  { content }: Visit,
  expression: string,
): Promise<number> {
  const link = JSON.stringify(content);
  await timeUntil(page, `document.querySelector(${link})`);
  return await page.evaluate<number>(`(async () => {
    const clicked = performance.now();
    document.querySelector(${link}).click();
    return (await when(() => ${expression})) - clicked;
  })()`);
}

/** The Largest Contentful Paint in milliseconds, once nothing larger follows. */
export async function largestPaint(page: Page, { content }: Visit): Promise<number> {
  const shown = await timeUntil(page, `document.querySelector('${content}')`);
  return await page.evaluate<number>(
    `when(() => performance.now() - Math.max(${shown}, largestPaint.startTime) > ${QUIET_MS})
       .then(() => largestPaint.startTime)`,
  );
}

/**
 * The web app in a real browser. Every page of a test must end without an error of the console, a
 * script's error and a violation of the page's policy.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS, chromiumPath, headlessShellPath } from '../../../bench/web/chromium.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import type { TestMember } from '../scene/factories.ts';

/** A folder for the pictures that `screenshot` takes, from the root of the repository. */
const SCREENSHOTS = process.env['TEST_SCREENSHOTS'] ?? '';

export const DESK = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

export interface PageOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Pixels of the screen for each one of the page. Default: 1. */
  readonly scale?: number;
  readonly dark?: boolean;
  /** Fingers, and no pointer that can rest above something. Default: on narrow screens. */
  readonly touch?: boolean;
  /** Who is signed in. Default: no one. */
  readonly as?: TestMember;
}

export interface Chromium {
  /** A page of its own browser context: other cookies, other storage. */
  readonly open: (url: string, options?: PageOptions) => Promise<Page>;
  /** Another tab of the browser that shows a page. */
  readonly openBeside: (page: Page, url: string) => Promise<Page>;
  /** What went wrong in pages since the last test. Tests that cause errors take them from here. */
  readonly problems: string[];
}

/** Tests in Chromium. Where none is installed they are skipped, and the summary says so. */
export const describeInChromium = headlessShellPath === undefined ? describe.skip : describe;

/** For what the headless shell lacks: push messages. */
export const describeInWholeChromium = chromiumPath === undefined ? describe.skip : describe;

/** Chromium logs every answer that refuses a call. */
const REFUSAL = /^error: Failed to load resource: .* status of (?<status>\d+) /;

/**
 * Call it inside `describeInChromium`: one browser for the file. `refusals`: the statuses of answers
 * that every page of the file may get. `isWhole`: for `describeInWholeChromium`.
 */
export function startChromium({
  refusals = [],
  isWhole = false,
}: { refusals?: readonly number[]; isWhole?: boolean } = {}): Chromium {
  const executablePath = (isWhole ? chromiumPath : headlessShellPath) ?? '';
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) {
      // A handler may still wait for the service.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    const others = problems.splice(0).filter((problem) => {
      const status = REFUSAL.exec(problem)?.groups?.['status'];
      return status === undefined || !refusals.includes(Number(status));
    });
    expect(others).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
  });
  const openIn = async (context: BrowserContext, url: string): Promise<Page> => {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        problems.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(String(error.stack ?? error)));
    await page.goto(url);
    return page;
  };
  return {
    problems,
    openBeside: async (page, url) => await openIn(page.context(), url),
    open: async (url, { viewport = DESK, scale = 1, dark = false, ...more } = {}) => {
      const { as, touch = viewport.width < 600 } = more;
      if (!browser) throw new Error('open a page inside a test');
      const context = await browser.newContext({
        viewport,
        deviceScaleFactor: scale,
        colorScheme: dark ? 'dark' : 'light',
        hasTouch: touch,
        timezoneId: 'Europe/Berlin',
        locale: 'en-GB',
      });
      contexts.push(context);
      // A limit for pages that hang on a busy machine, not a measure of speed.
      context.setDefaultTimeout(120_000);
      if (as) {
        const [name = '', value = ''] = as.cookie.split('=');
        await context.addCookies([{ name, value, url: new URL(url).origin }]);
      }
      return await openIn(context, url);
    },
  };
}

/** With TEST_SCREENSHOTS set to a folder, writes a picture there for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === '') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(packageRoot(), SCREENSHOTS, `${name}.png`) });
}

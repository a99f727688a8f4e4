/**
 * The web app in a real browser: Chromium, or Firefox with TEST_BROWSER=firefox. Every page of a test
 * must end without an error of the console, a script's error and a violation of the page's policy.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContext,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import {
  CHROMIUM_FLAGS,
  chromiumPath,
  firefoxPath,
  headlessShellPath,
} from '../../../bench/web/browsers.ts';
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

export interface TestBrowser {
  /** A separate page browser context: other cookies, other storage. */
  readonly open: (url: string, options?: PageOptions) => Promise<Page>;
  /** Another tab of the browser that shows a page. */
  readonly openBeside: (page: Page, url: string) => Promise<Page>;
  /** What went wrong in pages since the last test. Tests that cause errors take them from here. */
  readonly problems: string[];
}

const isFirefox = process.env['TEST_BROWSER'] === 'firefox';
const shellPath = isFirefox ? firefoxPath : headlessShellPath;
const wholePath = isFirefox ? undefined : chromiumPath;

/** Tests in a browser. Where it is not installed they are skipped, and the summary says so. */
export const describeInBrowser = shellPath === undefined ? describe.skip : describe;

/** For what the headless shell lacks: push messages. */
export const describeInWholeChromium = wholePath === undefined ? describe.skip : describe;

/**
 * For what Playwright cannot do in Firefox: touch, forced colors, downloads, and sending on a body of
 * a call that it holds.
 */
export const testInChromium = isFirefox ? test.skip : test;

/** What browsers log without a fault of the page. */
const EXPECTED_LOGS = [
  // Firefox wants an icon for a file, whose policy forbids it.
  /resource \(img-src\) at \S+\/favicon\.ico /,
  // And it says that it refused to show a frame.
  /resource \(frame-ancestors\) /,
];
/** Chromium logs every response that refuses a call. */
const REFUSAL = /^error: Failed to load resource: .* status of (?<status>\d+) /;
/** Chromium logs every cut connection, too. Firefox logs neither. */
export const isCut = (problem: string): boolean => problem.includes('net::ERR_');

/**
 * Playwright's own way to insert text sets the value as a script does, which React does not see. This
 * edits as people do.
 */
const INSERT_TEXT = `Object.defineProperty(globalThis, '__pw_bidiInsertText', {
  get: () => (text) => void document.execCommand('insertText', false, text),
  set: () => undefined,
});`;

/** Firefox takes them for all pages. A mouse that rests above things; light or dark. */
const firefoxOptions = (dark: boolean): LaunchOptions => ({
  channel: 'moz-firefox',
  firefoxUserPrefs: {
    'ui.primaryPointerCapabilities': 6,
    'ui.allPointerCapabilities': 6,
    'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
  },
});

/**
 * Call it inside `describeInBrowser`: one browser for the file. `refusals`: the statuses of responses
 * that every page of the file may get. `isWhole`: for `describeInWholeChromium`.
 */
export function startBrowser({
  refusals = [],
  isWhole = false,
}: { refusals?: readonly number[]; isWhole?: boolean } = {}): TestBrowser {
  const executablePath = (isWhole ? wholePath : shellPath) ?? '';
  const launched = new Map<boolean, Promise<Browser>>();
  const browserFor = async (dark: boolean): Promise<Browser> => {
    const key = isFirefox && dark;
    const launch = () =>
      isFirefox
        ? firefox.launch({ executablePath, ...firefoxOptions(dark) })
        : chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
    const browser = launched.get(key) ?? launch();
    launched.set(key, browser);
    return await browser;
  };
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  afterEach(async () => {
    for (const context of contexts.splice(0)) {
      // A handler may still wait for the service.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    const others = problems.splice(0).filter((problem) => {
      if (EXPECTED_LOGS.some((log) => log.test(problem))) return false;
      const status = REFUSAL.exec(problem)?.groups?.['status'];
      return status === undefined || !refusals.includes(Number(status));
    });
    expect(others).toEqual([]);
  });
  afterAll(async () => {
    for (const browser of launched.values()) await (await browser).close();
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
      const browser = await browserFor(dark);
      const context = await browser.newContext({
        viewport,
        deviceScaleFactor: scale,
        colorScheme: dark ? 'dark' : 'light',
        hasTouch: touch,
        timezoneId: 'Europe/Berlin',
        locale: 'en-GB',
      });
      contexts.push(context);
      if (isFirefox) await context.addInitScript(INSERT_TEXT);
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

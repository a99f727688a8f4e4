/** What a person recognizes in a user agent: the browser and the system. */

import { account as text } from './account.ts';

/** In this order: each later browser also carries the names of earlier ones. */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const;

const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

const nameIn = (names: typeof BROWSERS | typeof SYSTEMS, userAgent: string) =>
  names.find(([, pattern]) => pattern.test(userAgent))?.[0];

export function deviceText(userAgent: string | null): string {
  const browser = nameIn(BROWSERS, userAgent ?? '');
  const system = nameIn(SYSTEMS, userAgent ?? '');
  if (browser === undefined) return system ?? text.unknownBrowser;
  return system === undefined ? browser : text.on(browser, system);
}

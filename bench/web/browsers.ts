/** The browsers of this machine, for measurements and for tests. */
import { existsSync } from 'node:fs';

const installed = (...paths: readonly string[]) => paths.find((path) => existsSync(path));
const chosen = process.env['CHROMIUM'] || undefined;

/** As people use it. `CHROMIUM` names another. Undefined where none is installed. */
export const chromiumPath = chosen ?? installed('/usr/bin/chromium', '/usr/bin/google-chrome');

/**
 * The headless shell: the same engine with less around it, which takes half the processor time. It has no push
 * messages. `CHROMIUM` replaces it, too. Without it, the whole Chromium.
 */
export const headlessShellPath =
  chosen ?? installed('/usr/bin/chromium-headless-shell') ?? chromiumPath;

/** For tests. `FIREFOX` names another. */
export const firefoxPath =
  (process.env['FIREFOX'] || undefined) ?? installed('/usr/bin/firefox-esr', '/usr/bin/firefox');

/** No call leaves the machine. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium of this machine, for measurements and for tests. */
import { existsSync } from 'node:fs';

const PATHS = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'];

/** Undefined where none is installed. */
export const chromiumPath = PATHS.find((path) => path !== '' && existsSync(path));

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

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';

const at = (path: string): string => pathToFileURL(join(packageRoot(), path)).href;
const SCRIPT = `
  import { exactText } from '${at('web/src/shared/text/times.ts')}';
  process.stdout.write(exactText('2026-11-23T07:05:09.5Z'));`;

/** A process has one zone, from its start. */
const textIn = (zone: string): string =>
  execFileSync(
    process.execPath,
    ['--import', at('test/support/run/typescript.js'), '--input-type=module', '-e', SCRIPT],
    { encoding: 'utf8', env: { ...process.env, TZ: zone } },
  );

test.each([
  ['Europe/Berlin', '23 Nov 2026, 08:05:09 UTC+1'],
  ['America/St_Johns', '23 Nov 2026, 03:35:09 UTC-3:30'],
  ['Asia/Kathmandu', '23 Nov 2026, 12:50:09 UTC+5:45'],
  ['Pacific/Kiritimati', '23 Nov 2026, 21:05:09 UTC+14'],
  ['UTC', '23 Nov 2026, 07:05:09 UTC'],
])('an instant is exact in the zone %s', (zone, text) => {
  expect(textIn(zone)).toBe(text);
});

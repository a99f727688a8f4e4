import { afterEach, expect, test } from '@jest/globals';
import { exactText } from '../../../web/src/shared/text/times.ts';

const { TZ } = process.env;
afterEach(() => {
  // An empty zone would be UTC for all later tests.
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
});

test.each([
  ['Europe/Berlin', '23 Nov 2026, 08:05:09 UTC+1'],
  ['America/St_Johns', '23 Nov 2026, 03:35:09 UTC-3:30'],
  ['Asia/Kathmandu', '23 Nov 2026, 12:50:09 UTC+5:45'],
  ['Pacific/Kiritimati', '23 Nov 2026, 21:05:09 UTC+14'],
  ['UTC', '23 Nov 2026, 07:05:09 UTC'],
])('an instant is exact in the zone %s', (zone, text) => {
  process.env['TZ'] = zone;
  expect(exactText('2026-11-23T07:05:09.5Z')).toBe(text);
});

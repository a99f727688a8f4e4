import { expect, test } from '@jest/globals';
import { freshSeconds } from '../../../src/platform/network/freshness.ts';

const DAY = 86_400;
const date = 'Thu, 26 Nov 2026 10:00:00 GMT';

test.each([
  [600, { 'cache-control': 'max-age=600' }],
  [600, { 'cache-control': 'public, Max-Age="600"' }],
  [550, { 'cache-control': 'max-age=600', age: '50' }],
  [0, { 'cache-control': 'max-age=600', age: '700' }],
  [60, { 'cache-control': 'max-age=600, s-maxage=60' }],
  [DAY, { 'cache-control': 'max-age=31536000' }],
  [0, { 'cache-control': 'no-store, max-age=600' }],
  [0, { 'cache-control': 'max-age=600, no-cache' }],
  [0, { 'cache-control': 'max-age=soon' }],
  [0, { 'cache-control': 'max-age=0' }],
  [120, { date, expires: 'Thu, 26 Nov 2026 10:02:00 GMT' }],
  [0, { date, expires: 'Thu, 26 Nov 2026 09:00:00 GMT' }],
  [0, { expires: '0' }],
  [300, {}],
  [300, { 'cache-control': 'public' }],
])('a response is fresh for %i seconds: %j', (seconds, headers) => {
  expect(freshSeconds(headers, DAY)).toBe(seconds);
});

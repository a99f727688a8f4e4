/** What is recorded when someone looks at a hidden value. */
import { expect, test } from '@jest/globals';
import { recordable } from '../../../web/src/shared/call/recordable-pointer.ts';

const long = `/arguments/${'a'.repeat(900)}`;

test.each([
  ['/arguments/token', '/arguments/token'],
  ['/arguments/\u{1F600}/token', '/arguments/\u{1F600}/token'],
  [`${long}/${'b'.repeat(200)}/token`, long],
  ['/arguments/a\0b/token', '/arguments'],
  ['/arguments/a/\uD800/token', '/arguments/a'],
])('the pointer %j is recorded as %j', (pointer, recorded) => {
  expect(recordable(pointer)).toBe(recorded);
});

/** Email addresses: what is refused, and with which advice. */
import { expect, test } from '@jest/globals';
import { email } from '../../../api/sign-in/credentials-schema.ts';
import { readBy } from '../../../src/domain/issues.ts';

const messageFor = (address: string): string | undefined => {
  const read = readBy(email(), address);
  return read.ok ? undefined : read.issues.map(({ message }) => message).join('; ');
};
const label = (length: number) => 'x'.repeat(length);

test.each([
  'ada@example.com',
  'ada+queue@mail.example.co.uk',
  "o'neil@example.com",
  'ada@xn--mller-kva.de',
  `ada@${label(63)}.example.com`,
])('%s is accepted', (address) => {
  expect(messageFor(address)).toBeUndefined();
});

const ONE = 'must be one email address, such as ada@example.com';
const DOT = 'must have a domain with a dot, such as ada@example.com';
const ASCII_DOMAIN =
  'must have its domain in ASCII, such as ada@xn--mller-kva.de for ada@müller.de';
const ASCII_NAME = 'must have only ASCII characters before the @';
const PARTS =
  'must have a domain whose parts have at most 63 characters and neither begin nor end with a hyphen';

test.each([
  ['', ONE],
  ['ada', ONE],
  ['ada@', ONE],
  ['@example.com', ONE],
  ['ada@localhost', DOT],
  ['ada@müller.de', ASCII_DOMAIN],
  ['ada@müller', ASCII_DOMAIN],
  ['adä@example.com', ASCII_NAME],
  ['ada lovelace@example.com', ONE],
  ['Ada <ada@example.com>', ONE],
  ['ada@example.com, bob@example.com', ONE],
  [`ada@${label(64)}.example.com`, PARTS],
  [`ada@example.${label(64)}`, PARTS],
  ['ada@example-.com', PARTS],
])('%j is refused with advice', (address, message) => {
  expect(messageFor(address)).toBe(message);
});

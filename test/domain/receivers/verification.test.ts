import { expect, test } from '@jest/globals';
import { repeatsChallenge } from '../../../src/domain/receivers/verification.ts';

const CHALLENGE = '4c8a62a8-8ad6-4d0b-8a53-0b1e2f3a4b5c';
const says = (text: string | Buffer, status = 200) =>
  repeatsChallenge({ status, body: Buffer.from(text) }, CHALLENGE);

test.each([
  `{"challenge":"${CHALLENGE}"}`,
  ` { "challenge" : "${CHALLENGE}" }\n`,
  `{"\\u0063hallenge":"${CHALLENGE}"}`,
])('a receiver repeats its challenge with %j', (text) => {
  expect(says(text)).toBe(true);
});

test.each([
  ['another status', says(`{"challenge":"${CHALLENGE}"}`, 201)],
  ['no body', repeatsChallenge({ status: 200, body: undefined }, CHALLENGE)],
  ['another challenge', says('{"challenge":"4c8a62a8"}')],
  ['a further member', says(`{"challenge":"${CHALLENGE}","more":1}`)],
  ['the challenge twice', says(`{"challenge":"x","challenge":"${CHALLENGE}"}`)],
  [
    'the challenge twice, once with an escape',
    says(`{"\\u0063hallenge":"x","challenge":"${CHALLENGE}"}`),
  ],
  ['a byte order mark', says(`\uFEFF{"challenge":"${CHALLENGE}"}`)],
  ['a second value', says(`{"challenge":"${CHALLENGE}"}{}`)],
  ['a list', says(`["${CHALLENGE}"]`)],
  ['a text', says(`"${CHALLENGE}"`)],
  ['a prototype with it', says(`{"__proto__":{"challenge":"${CHALLENGE}"}}`)],
  ['other bytes than UTF-8', says(Buffer.from([0x7b, 0xff, 0x7d]))],
])('a receiver does not with %s', (_what, repeats) => {
  expect(repeats).toBe(false);
});

import { describe, expect, test } from '@jest/globals';
import { describeTotp, newTotpSeed, totpStep } from '../../../src/platform/crypto/totp.ts';

const seed = Buffer.from('12345678901234567890');

describe('codes of an authenticator app', () => {
  // RFC 6238, appendix B, SHA-1: the last six of its eight digits.
  test.each([
    ['1970-01-01T00:00:59Z', '287082', 1],
    ['2005-03-18T01:58:29Z', '081804', 37037036],
    ['2005-03-18T01:58:31Z', '050471', 37037037],
    ['2009-02-13T23:31:30Z', '005924', 41152263],
    ['2033-05-18T03:33:20Z', '279037', 66666666],
    ['2603-10-11T11:33:20Z', '353130', 666666666],
  ])('are those of RFC 6238: %s', (at, code, step) => {
    expect(totpStep(seed, code, new Date(at))).toBe(step);
  });

  test('work one step of 30 seconds before and after their own, and no longer', () => {
    const step = 37037036;
    const at = (steps: number) => totpStep(seed, '081804', new Date((step + steps) * 30_000));
    expect([at(-2), at(-1), at(0), at(1), at(2)]).toEqual([undefined, step, step, step, undefined]);
    expect(totpStep(seed, '081804', new Date((step + 2) * 30_000 - 1))).toBe(step);
  });

  test.each(['081805', '81804', '0818040', '', '08180a', '000000'])(
    'are refused when they are wrong or malformed: %j',
    (code) => {
      expect(totpStep(seed, code, new Date('2005-03-18T01:58:29Z'))).toBeUndefined();
    },
  );

  test('come from 160 random bits, with a URI that apps can read', () => {
    expect([newTotpSeed().length, newTotpSeed().equals(newTotpSeed())]).toEqual([20, false]);
    expect(describeTotp(seed, { issuer: 'Countersign', account: 'ada:x@example.com' })).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      uri: 'otpauth://totp/Countersign:ada%3Ax%40example.com?issuer=Countersign&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
    });
  });
});

/** What people type as a second factor. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  hashTypedCode,
  newRecoveryCodes,
  readCode,
  RECOVERY_CODE_BYTES,
} from '../../../src/domain/sign-in/second-factors.ts';

describe('a typed code', () => {
  test.each(['123456', ' 123456 ', '123 456', '123-456', '1 2 3 4 5 6'])(
    'belongs to an app when it has six digits: %j',
    (typed) => {
      expect(readCode(typed)).toEqual({ kind: 'totp', code: '123456' });
    },
  );

  test.each(['12345', '1234567', '12345a', '١٢٣٤٥٦', '', '123.456'])(
    'is a recovery code in every other form: %j',
    (typed) => {
      expect(readCode(typed).kind).toBe('recovery_code');
    },
  );
});

describe('recovery codes', () => {
  const codes = newRecoveryCodes(randomBytes(RECOVERY_CODE_BYTES));

  test('are ten different ones in four groups of four, without ambiguous letters', () => {
    expect(new Set(codes).size).toBe(10);
    for (const code of codes)
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  });

  test('contain all 80 random bits', () => {
    const seen = new Set<string>();
    for (let bit = 0; bit < 80; bit += 1) {
      const bytes = Buffer.alloc(RECOVERY_CODE_BYTES);
      bytes[Math.floor(bit / 8)] = 1 << (bit % 8);
      seen.add(newRecoveryCodes(bytes)[0] ?? '');
    }
    seen.add(newRecoveryCodes(Buffer.alloc(RECOVERY_CODE_BYTES))[0] ?? '');
    expect(seen.size).toBe(81);
    expect(() => newRecoveryCodes(randomBytes(RECOVERY_CODE_BYTES - 1))).toThrow();
  });

  test('are equal in every spelling', () => {
    for (const code of codes) {
      const ways = [
        code.toLowerCase(),
        code.replaceAll('-', ''),
        ` ${code.replaceAll('-', ' ')} `,
        code.replaceAll('0', 'o').replaceAll('1', 'l'),
      ];
      for (const typed of ways) expect(hashTypedCode(typed)).toEqual(hashTypedCode(code));
    }
  });

  test('differ by any one character', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...codes),
        fc.nat({ max: 15 }),
        fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
        (code, at, other) => {
          const plain = code.replaceAll('-', '');
          const changed = plain.slice(0, at) + other + plain.slice(at + 1);
          expect(hashTypedCode(changed).equals(hashTypedCode(code))).toBe(changed === plain);
        },
      ),
    );
  });
});

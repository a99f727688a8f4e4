/** The form of tokens, and how each is found again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';
import {
  hashSecret,
  issueToken,
  parseToken,
  secretMatches,
} from '../../../src/platform/crypto/tokens.ts';

/** The expression of the guide for secret scanners. */
const DOCUMENTED = new RegExp(
  /```text message\n(.*)\n```/.exec(
    readFileSync(join(packageRoot(), 'docs/guides/api-keys.md'), 'utf8'),
  )?.[1] ?? 'missing',
);

describe('a token', () => {
  test('has a secret of 43 letters and digits and a checksum of six, so that a double click selects all of it', () => {
    for (let round = 0; round < 500; round += 1) {
      const { id, token } = issueToken('whc');
      expect(token).toMatch(new RegExp(`^whc_${id}_[0-9A-Za-z]{49}$`));
      expect(token).toMatch(DOCUMENTED);
    }
  });

  test('is split into its id and the secret whose hash is stored', () => {
    const { id, token, hash } = issueToken('whk');
    const parts = parseToken(token);
    expect(parts).toMatchObject({ prefix: 'whk', id });
    expect(secretMatches(parts?.secret ?? '', hash)).toBe(true);
    expect(secretMatches(parts?.secret.replace(/.$/, '!') ?? '', hash)).toBe(false);
  });

  test('with a wrong checksum is none, wherever it was changed', () => {
    const { token } = issueToken('whc');
    for (let place = 0; place < token.length; place += 1) {
      const other = token[place] === '0' ? '1' : '0';
      expect(
        parseToken(`${token.slice(0, place)}${other}${token.slice(place + 1)}`),
      ).toBeUndefined();
    }
    for (const length of [1, 2, 5, 7]) expect(parseToken(token.slice(0, -length))).toBeUndefined();
  });

  test('has the checksum that the documentation describes', () => {
    // Computed elsewhere, by the description.
    const text =
      'whc_01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg';
    expect(parseToken(`${text}0JGpc9`)).toMatchObject({ prefix: 'whc' });
  });

  test('from before there were checksums still works', () => {
    const { token, hash } = issueToken('whk');
    const parts = parseToken(token.slice(0, -6));
    expect(secretMatches(parts?.secret ?? '', hash)).toBe(true);
  });

  test('of the older alphabet, with _ and - in its secret, still works', () => {
    const secret = `_-${'a'.repeat(39)}-_`;
    const parts = parseToken(`whs_01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11_${secret}`);
    expect(parts?.secret).toBe(secret);
    expect(secretMatches(secret, hashSecret(secret))).toBe(true);
  });

  test('uses every letter and digit at every place except the first', () => {
    const seen = Array.from({ length: 43 }, () => new Set<string>());
    for (let round = 0; round < 3_000; round += 1) {
      const secret = parseToken(issueToken('whc').token)?.secret ?? '';
      [...secret].forEach((character, place) => seen[place]?.add(character));
    }
    // With 3,000 tokens, a given character is absent from a given place with a probability of 10^-21.
    expect(seen.slice(1).map((characters) => characters.size)).toEqual(Array(42).fill(62));
  });
});

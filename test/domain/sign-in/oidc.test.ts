import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  admissibleEmail,
  assuranceOf,
  displayNameOf,
  isReturnPath,
  isSubject,
} from '../../../src/domain/sign-in/oidc.ts';
import { anyCharacter } from '../../support/characters.ts';

describe('a return path', () => {
  test.each([
    '/',
    '/requests',
    '/requests/0199a3f1-7c52?tab=timeline&x=a%20b#top',
    '/a/../b',
    '/~ada/@me',
    '/search?q=50%25',
  ])('is a path of this service: %s', (path) => {
    expect(isReturnPath(path)).toBe(true);
  });

  test.each([
    '',
    'requests',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'HTTPS:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/\t/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/ /evil.example',
    '/\n/evil.example',
    '/x\r\nSet-Cookie: a=b',
    '/\u0000',
    '/\u007f',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '/a//b',
    '/%2f%2fevil.example',
    '/%2F/evil.example',
    '/%5cevil.example',
    '/%5C%5Cevil.example',
    '/%252f%252fevil.example',
    '/%25255cevil.example',
    '/%2e%2e//evil.example',
    '/x%0d%0aSet-Cookie:%20a=b',
    '/%00',
    '/%zz',
    '/%c0%af',
    '/\uff0f\uff0fevil.example',
    '/\u2028',
    '/next?to=https://evil.example',
    '/#//evil.example',
    '@evil.example',
    '.evil.example',
    ':80@evil.example',
    `/${'a'.repeat(2_000)}`,
  ])('is not %j', (path) => {
    expect(isReturnPath(path)).toBe(false);
  });

  test('keeps the browser here, for every base it is appended to or resolved against', () => {
    const nasty = fc.array(
      fc.constantFrom(
        '/',
        '\\',
        '.',
        '..',
        '%2f',
        '%5c',
        '%2e',
        '%09',
        '\t',
        '\n',
        '@',
        ':',
        '?',
        '#',
        'a',
        'evil.example',
      ),
    );
    fc.assert(
      fc.property(nasty, (parts) => {
        const path = `/${parts.join('')}`;
        if (!isReturnPath(path)) return;
        for (const text of [path, `https://ours.example${path}`]) {
          const { origin, pathname } = new URL(text, 'https://ours.example');
          expect(origin).toBe('https://ours.example');
          expect(pathname.startsWith('//')).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('an email the provider claims', () => {
  const of = (
    email: string | undefined,
    { verified = true, domains = ['example.com'] }: { verified?: boolean; domains?: string[] } = {},
  ) => admissibleEmail({ email, emailVerified: verified }, domains);

  test.each(['ada@example.com', 'Ada@EXAMPLE.com', "o'neil+x@Example.Com"])(
    'counts when its domain is admitted: %s',
    (email) => {
      expect(of(email)).toBe(email);
    },
  );

  test.each([
    'ada@example.com.evil',
    'ada@sub.example.com',
    'ada@evil-example.com',
    'ada@exampleXcom',
    'ada@example.com.',
    'ada@.example.com',
    'ada@example',
    'ada@evil.example@example.com',
    'ada@evil.example,eve@example.com',
    '"ada@evil.example"@example.com',
    '<ada>@example.com',
    'ada @example.com',
    'ada@example.com ',
    'ada@example.com\n',
    'ada@example.com\0',
    '@example.com',
    'example.com',
    '',
    'ada@ex\u0430mple.com',
    'ada@\u212aexample.com',
    '\u212aada@example.com',
    `${'a'.repeat(65)}@example.com`,
  ])('does not count when it only looks admitted: %j', (email) => {
    expect(of(email)).toBeUndefined();
  });

  test.each(['ada@example-.com', 'ada@-example.com', 'ada@example.com-'])(
    'does not count without a valid domain, also where none is configured: %s',
    (email) => {
      expect(of(email, { domains: [] })).toBeUndefined();
    },
  );

  test('never counts when it is unverified or absent', () => {
    expect(of('ada@example.com', { verified: false })).toBeUndefined();
    expect(of('ada@example.com', { verified: false, domains: [] })).toBeUndefined();
    expect(of(undefined)).toBeUndefined();
  });

  test('may have any domain when none is configured', () => {
    expect(of('ada@elsewhere.example', { domains: [] })).toBe('ada@elsewhere.example');
    expect(of('nonsense', { domains: [] })).toBeUndefined();
  });
});

describe('a display name', () => {
  test.each([
    ['Ada Marsh', 'Ada Marsh'],
    ['  Ada \n\t Marsh\u0000 ', 'Ada Marsh'],
    ['\u202eevil\u200b', 'evil'],
    ['\ud800', 'ada'],
    ['', 'ada'],
    [' \u0007 ', 'ada'],
    [undefined, 'ada'],
    ['x'.repeat(500), 'x'.repeat(100)],
  ])('of %j is %j', (name, shown) => {
    expect(displayNameOf(name, 'ada@example.com')).toBe(shown);
  });

  test('can always be stored and shown', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (name) => {
        const shown = displayNameOf(name, 'ada@example.com');
        expect(
          shown.isWellFormed() &&
            shown.trim() !== '' &&
            !shown.includes('\0') &&
            shown.length <= 200,
        ).toBe(true);
      }),
    );
  });
});

test('a subject is short and plain', () => {
  expect(['auth0|5f7c', 'a'.repeat(255), '1234'].map(isSubject)).toEqual([true, true, true]);
  expect(['', 'a'.repeat(256), 'a\0b', 'a\nb', 'é'].map(isSubject)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('only a second factor at the provider makes a session strong', () => {
  expect([['mfa'], ['pwd', 'mfa', 'otp']].map(assuranceOf)).toEqual(['strong', 'strong']);
  expect([[], ['pwd'], ['otp'], ['MFA'], ['mfa '], ['mfax']].map(assuranceOf)).toEqual(
    Array(6).fill('single_factor'),
  );
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { requireAcceptablePassword } from '../../../src/services/sign-in/passwords.ts';
import { BOOTSTRAP_SECRET, startApp } from '../../support/app.ts';

const words = ['Ada.Marsh-Whitfield@example.com', 'Ada Marsh', 'Example Works of the North'];
const judge = (password: string) =>
  requireAcceptablePassword(password, { words, pointer: '/next' }).then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.details?.['issues'] : error),
  );

describe('a new password', () => {
  test.each([
    'seven bright ravens on a wire',
    'correct horse battery staple',
    'mX9v-2kqT-84hz',
    'пять белых лебедей',
    '🦢🦢🦉🦉🦅🦅🦜🦜🐧🐧🐦🐦',
  ])('%j is accepted', async (password) => {
    expect(await judge(password)).toBe('accepted');
  });

  test.each([
    'elevenchars',
    '🦢🦉🦅🦜🐧🐦',
    'qwertyuiop12',
    'Passw0rd!!!!',
    'Password1234',
    'iloveyou2026!',
    'letmeinletmein',
    '1q2w3e4r5t6y',
    '123456789012',
    'aaaaaaaaaaaaaaaa',
    'ada.marsh-whitfield',
    'ADA.MARSH-WHITFIELD@EXAMPLE.COM',
    'Ada Marsh 2026!',
    'exampleworksofthenorth',
  ])('%j is refused with the name of its field', async (password) => {
    expect(await judge(password)).toEqual([
      { pointer: '/next', code: 'invalid_value', message: expect.any(String) },
    ]);
  });

  test('of the first owner follows the same rules, and a refusal keeps bootstrap open', async () => {
    const app = await startApp();
    const owner = {
      secret: BOOTSTRAP_SECRET,
      organization_name: 'Example Works',
      display_name: 'Ada Marsh',
      email: 'ada@example.com',
    };
    try {
      for (const password of ['Password12345', 'example works 1', 'ada marsh ada marsh']) {
        const refused = await app.http.post('/auth/bootstrap', { ...owner, password });
        expect([
          refused.status,
          refused.body['error']?.['details']?.['issues']?.[0]?.['pointer'],
        ]).toEqual([400, '/password']);
      }
      expect(
        (
          await app.http.post('/auth/bootstrap', {
            ...owner,
            password: 'seven bright ravens on a wire',
          })
        ).status,
      ).toBe(201);
    } finally {
      await app.close();
    }
  });
});

test('only the one file that loads it lazily names the list of common passwords', () => {
  const root = packageRoot();
  const sources = ['src', 'api', 'bin', 'temporal', 'workflows', 'activities'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  );
  const naming = sources.filter(
    (name) => name.endsWith('.ts') && readFileSync(join(root, name), 'utf8').includes('@zxcvbn-ts'),
  );
  expect(naming).toEqual([join('src', 'platform', 'crypto', 'common-passwords.ts')]);
  expect(readFileSync(join(root, naming[0] ?? ''), 'utf8')).not.toMatch(/^import .*@zxcvbn-ts/m);
});

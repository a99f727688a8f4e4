/** `npm run sdk` and `npm run hook` in a fresh clone, as the guides say. */
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.ts';

test('write their packages where there was no build, and say where', () => {
  const clone = mkdtempSync(join(tmpdir(), 'countersign-clone-'));
  const root = packageRoot();
  for (const name of ['bin/build', 'sdk', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(clone, name), {
      recursive: true,
      filter: (path) => !/\/(dist|node_modules)$/.test(path),
    });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const run = (script: string) =>
    execFileSync('npm', ['run', '--silent', script], { cwd: clone, encoding: 'utf8' });
  const [sdk = '', hook = ''] = run('sdk').trim().split('\n');
  expect([sdk, hook].map((file) => file.replace(/-[\d.]+\.tgz$/, ''))).toEqual([
    join(clone, 'dist/countersign-sdk'),
    join(clone, 'dist/countersign-hook'),
  ]);
  expect([sdk, hook].map((file) => existsSync(file))).toEqual([true, true]);
  rmSync(hook);
  expect(run('hook')).toBe(`${hook}\n`);
  const packed = execFileSync('tar', ['-tzf', hook], { encoding: 'utf8' });
  expect(packed).toContain('package/dist/countersign-hook.js\n');
  // What else is in dist stays.
  expect(existsSync(sdk)).toBe(true);
  rmSync(clone, { recursive: true, force: true });
}, 120_000);

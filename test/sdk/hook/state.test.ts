/** What the hook reads at each call, and what it says of the environment. */
import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitIn } from '../../../sdk/hook/src/limit.ts';
import { removeOld } from '../../../sdk/hook/src/run/kept.ts';
import { ENDING_SHELL } from '../../../sdk/hook/src/scopes.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-kept-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const make = (name: string) => {
  writeFileSync(join(folder, name), '');
  utimesSync(join(folder, name), 0, 0);
};

test('old files are looked for once an hour, not at each call', async () => {
  make('old');
  await removeOld(folder);
  expect(readdirSync(folder)).toEqual(['looked']);
  make('later');
  await removeOld(folder);
  expect(readdirSync(folder)).toEqual(['later', 'looked']);
  utimesSync(join(folder, 'looked'), 0, 0);
  await removeOld(folder);
  expect(readdirSync(folder)).toEqual(['looked']);
});

test('`status` looks for the variables that the guide says can end the shell of the hook', () => {
  const guide = readFileSync(join(packageRoot(), 'docs/guides/gates/coding-agents.md'), 'utf8');
  const [, section = ''] = guide.split('## What the environment can do');
  const cells = section.split('\n').map((line) => line.split('|'));
  const rows = cells.filter(([, , what = '']) => /end.* the shell|runs nothing/.test(what));
  const macOs = /On\s+macOS, these are [^.]*/.exec(guide)?.[0] ?? '';
  const named = [...rows.map(([, names = '']) => names), macOs].flatMap((text) => [
    ...text.matchAll(/`([A-Z_]{6,})/g),
  ]);
  expect(rows).toHaveLength(4);
  expect(new Set(named.map(([, name]) => name))).toEqual(new Set(ENDING_SHELL));
});

test('the limit of an installed command is read where it has one', () => {
  expect(limitIn("run claude --credential 'x' --limit 600s --url 'y'")).toBe(600);
  expect(limitIn('run claude')).toBeUndefined();
});

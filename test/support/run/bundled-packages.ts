/**
 * Packages that consist of many small modules, each bundled into one. cel-js loads a thousand, which took a quarter of the
 * time in which a process of the service loads, and half of that of a thread that tests start.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { COMPILED } from './compiled-sources.ts';
import { runSource } from './run-source.ts';

const PACKAGES = ['cel-js'];

/**
 * Bundles each package that is new or has another version, into node_modules beside the compiled sources, which find
 * the bundles there by themselves.
 */
export async function bundlePackages(): Promise<void> {
  await Promise.all(PACKAGES.map(bundle));
}

async function bundle(name: string): Promise<void> {
  const installed = join(packageRoot(), 'node_modules', name, 'package.json');
  const { version } = JSON.parse(readFileSync(installed, 'utf8')) as { version: string };
  const manifest = JSON.stringify({ name, version, type: 'module', exports: './index.js' });
  const directory = join(COMPILED, 'node_modules', name);
  const current = join(directory, 'package.json');
  if (existsSync(current) && readFileSync(current, 'utf8') === manifest) return;
  const unfinished = `${directory}.${process.pid}`;
  await runSource('test/support/run/bundle-package.ts', name, unfinished);
  writeFileSync(join(unfinished, 'package.json'), manifest);
  rmSync(directory, { recursive: true, force: true });
  renameSync(unfinished, directory);
}

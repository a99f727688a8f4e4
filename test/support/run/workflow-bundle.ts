/** The bundle of the workflows, which all files of a run load. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { runSource } from './run-source.ts';

/** All that a bundle can contain, and more. */
const FOLDERS = ['workflows', 'src', 'temporal'];

/** Bundles the workflows for this run, unless an earlier run had the same sources and packages. */
export async function prepareWorkflowBundle(): Promise<void> {
  const root = packageRoot();
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of FOLDERS.flatMap((folder) => sourcesIn(join(root, folder))))
    hash.update(`${file}\n`).update(readFileSync(file));
  const path = join(root, 'node_modules/.cache/countersign-workflows', `${hash.digest('hex')}.js`);
  if (!existsSync(path)) await runSource('test/support/run/bundle-workflows.ts', path);
  process.env['TEST_WORKFLOW_BUNDLE'] = path;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(folder, name));
}

/** Where global setup put the workflow bundle of this run. */
export function workflowBundlePath(): string {
  const path = process.env['TEST_WORKFLOW_BUNDLE'];
  if (path === undefined) throw new Error('the global setup has not built the workflow bundle');
  return path;
}

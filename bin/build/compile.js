/** TypeScript sources as JavaScript. Types are checked by `npm run types`, so this takes about two seconds. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const OPTIONS = {
  jsc: {
    parser: { syntax: 'typescript' },
    target: 'es2023',
    rewriteRelativeImportExtensions: true,
    transform: { verbatimModuleSyntax: true },
  },
  module: { type: 'es6' },
  sourceMaps: true,
};

/**
 * Compiles folders of `root` into the folder `to`, and skips files whose output is current. A running service may load modules
 * meanwhile, so files are replaced one by one, and those without a source go last.
 */
export async function compile(root, { folders, to }) {
  // The options above and the version of the compiler.
  const compiler = changedAt(fileURLToPath(import.meta.url), join(root, 'package-lock.json'));
  for (const folder of folders) {
    const sources = filesIn(join(root, folder)).filter(
      (path) => path.endsWith('.ts') && !path.endsWith('.d.ts'),
    );
    const outputs = await Promise.all(
      sources.map(async (source) => {
        const output = join(root, to, relative(root, source).replace(/\.ts$/, '.js'));
        await compileFile(source, { output, compiler });
        return output;
      }),
    );
    const current = new Set(outputs.flatMap((path) => [path, `${path}.map`]));
    for (const path of filesIn(join(root, to, folder)))
      if (!current.has(path) && !UNFINISHED.test(path)) rmSync(path, { force: true });
  }
}

/** Without packages: those of agent frameworks are in a folder of tests, those of the documentation site in a folder of `bin`. */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
  });
}

/** Of files that were moved here, too. */
const changedAt = (...paths) =>
  Math.max(
    ...paths.flatMap((path) => {
      const { mtimeMs, ctimeMs } = statSync(path);
      return [mtimeMs, ctimeMs];
    }),
  );

async function compileFile(filename, { output, compiler }) {
  const made = statSync(output, { throwIfNoEntry: false });
  if (made && made.mtimeMs > Math.max(compiler, changedAt(filename))) return;
  // It takes a moment to load, which a build that is current does not need.
  const { transform } = await import('@swc/core');
  const sourceFileName = relative(dirname(output), filename);
  const options = { filename, sourceFileName, ...OPTIONS };
  const { code, map } = await transform(readFileSync(filename, 'utf8'), options);
  mkdirSync(dirname(output), { recursive: true });
  replace(`${output}.map`, map);
  replace(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
}

/** Another build may be writing the same file. */
const UNFINISHED = /\.\d+$/;

function replace(path, text) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

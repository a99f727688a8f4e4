/** TypeScript sources as JavaScript in dist/. Types are checked by `npm run types`, so this takes about a second. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { transform } from '@swc/core';

/** How Jest compiles, too (jest.config.js). */
export const SWC_OPTIONS = {
  jsc: {
    parser: { syntax: 'typescript' },
    target: 'es2023',
    transform: { verbatimModuleSyntax: true },
  },
  module: { type: 'es6' },
};

const OPTIONS = {
  ...SWC_OPTIONS,
  jsc: { ...SWC_OPTIONS.jsc, rewriteRelativeImportExtensions: true },
  sourceMaps: true,
};

/**
 * Compiles the folders of `root` into `root`/dist. A running service may load modules meanwhile, so files are replaced one by
 * one, and those without a source go last.
 */
export async function compile(root, folders) {
  for (const folder of folders) {
    const sources = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
    );
    const written = await Promise.all(sources.map((name) => compileFile(root, join(folder, name))));
    const current = new Set(written.flatMap((path) => [path, `${path}.map`]));
    const dist = join(root, 'dist', folder);
    for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !current.has(path)) rmSync(path, { force: true });
    }
  }
}

/** Returns the path of the output. */
async function compileFile(root, source) {
  const filename = join(root, source);
  const { code, map } = await transform(readFileSync(filename, 'utf8'), { filename, ...OPTIONS });
  const output = join(root, 'dist', source.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(output), { recursive: true });
  replace(`${output}.map`, map);
  replace(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
  return output;
}

function replace(path, text) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

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
import { basename, dirname, join } from 'node:path';

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
 * Compiles folders of `root` into the folder `to`, but for files that are newer there. A running service may load modules
 * meanwhile, so files are replaced one by one, and those without a source go last.
 */
export async function compile(root, { folders, to }) {
  for (const folder of folders) {
    const sources = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
    );
    const outputs = await Promise.all(
      sources.map(async (name) => {
        const output = join(root, to, folder, name.replace(/\.ts$/, '.js'));
        await compileFile(join(root, folder, name), output);
        return output;
      }),
    );
    const current = new Set(outputs.flatMap((path) => [path, `${path}.map`]));
    for (const entry of readdirSync(join(root, to, folder), {
      recursive: true,
      withFileTypes: true,
    })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !current.has(path)) rmSync(path, { force: true });
    }
  }
}

async function compileFile(filename, output) {
  const made = statSync(output, { throwIfNoEntry: false });
  if (made && made.mtimeMs > statSync(filename).mtimeMs) return;
  // It takes a moment to load, which a build that is current does not need.
  const { transform } = await import('@swc/core');
  const { code, map } = await transform(readFileSync(filename, 'utf8'), { filename, ...OPTIONS });
  mkdirSync(dirname(output), { recursive: true });
  replace(`${output}.map`, map);
  replace(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
}

function replace(path, text) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

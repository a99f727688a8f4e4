import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath, URL } from 'node:url';

const OPTIONS = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
/**
 * The workers and threads of one run load the same sources. Each source is compiled once, and the
 * compiler is loaded only for that.
 */
const CACHE = fileURLToPath(
  new URL('../../../node_modules/.cache/countersign-sources/', import.meta.url),
);
const compiler = readFileSync(
  new URL('../../../node_modules/@swc/core/package.json', import.meta.url),
  'utf8',
);

/** Packages that bundled-packages.ts has bundled. */
const BUNDLES = new URL('../../../dist/for-tests/node_modules/', import.meta.url);
const bundled = new Set(existsSync(BUNDLES) ? readdirSync(BUNDLES) : []);

/** Node's module hook: finds bundled packages as if the module that imports them lay beside them. */
export function resolve(specifier, context, nextResolve) {
  const from = bundled.has(specifier) ? { ...context, parentURL: BUNDLES.href } : context;
  return nextResolve(specifier, from);
}

/** Node's module hook: compiles a `.ts` file outside node_modules when it is loaded. */
export async function load(url, context, nextLoad) {
  const [file] = url.split('?');
  if (!file.startsWith('file:') || !file.endsWith('.ts') || file.includes('/node_modules/'))
    return nextLoad(url, context);
  return { format: 'module', source: await compiled(fileURLToPath(file)), shortCircuit: true };
}

async function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const name = createHash('sha256')
    .update(JSON.stringify([compiler, OPTIONS, filename, source]))
    .digest('hex');
  try {
    return readFileSync(`${CACHE}${name}.js`, 'utf8');
  } catch {
    const { transform } = await import('@swc/core');
    const { code } = await transform(source, { filename, ...OPTIONS });
    keep(name, code);
    return code;
  }
}

/** Atomic, even if another process writes the same file. */
function keep(name, code) {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${CACHE}${name}.${process.pid}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, `${CACHE}${name}.js`);
}

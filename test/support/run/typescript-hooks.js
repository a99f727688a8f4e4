import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const OPTIONS = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

/** Node's module hook: compiles a `.ts` file outside node_modules when it is loaded. */
export async function load(url, context, nextLoad) {
  const [file] = url.split('?');
  if (!file.startsWith('file:') || !file.endsWith('.ts') || file.includes('/node_modules/'))
    return nextLoad(url, context);
  const { code } = await transformFile(fileURLToPath(file), OPTIONS);
  return { format: 'module', source: code, shortCircuit: true };
}

/** Node's module hook: `@jest/globals` is what the runner prepared for the importing file. */
import { URL } from 'node:url';

export async function resolve(specifier, context, nextResolve) {
  if (specifier !== '@jest/globals') return nextResolve(specifier, context);
  const { parentURL = '' } = context;
  const globals = /\.test\.ts(\?|$)/.test(parentURL)
    ? `./jest-globals.js?${parentURL}`
    : './jest-expect.js';
  return { url: new URL(globals, import.meta.url).href, format: 'module', shortCircuit: true };
}

/**
 * Runs a test file as Node runs any module, where Jest would load everything anew for each file into a context of its own:
 * that took 1.4 s of a core and 100 MB per file that starts the service. Each worker loads packages and sources once; the test
 * file is its own, and so is Jest's state. What this gives up: mocking of modules (there is none) and reloading while watching.
 */
import { createRequire, register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

register('../run/typescript-hooks.js', import.meta.url);
register('./jest-hooks.js', import.meta.url);
process.setSourceMapsEnabled(true);

const require = createRequire(import.meta.url);
const { default: circus } = require('jest-circus/runner');
/** The part that holds the state of one file. */
const STATE = join(require.resolve('jest-circus/runner'), '../jestAdapterInit.js');

export default async function runTestFile(
  globalConfig,
  config,
  environment,
  runtime,
  testPath,
  sendMessageToJest,
) {
  // Jest's own source maps are of what Jest compiled; Node knows those of what it has loaded itself.
  Error.prepareStackTrace = undefined;
  const workerConsole = globalThis.console;
  globalThis.console = environment.global.console;
  const natively = Object.assign(Object.create(runtime), {
    requireInternalModule: () => {
      Reflect.deleteProperty(require.cache, STATE);
      return require(STATE);
    },
    requireModule: require,
    setGlobalsForRuntime: (globals) => {
      globalThis[Symbol.for('countersign.jest-globals')] = globals;
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(pathToFileURL(path).href),
  });
  try {
    return await circus(globalConfig, config, environment, natively, testPath, sendMessageToJest);
  } finally {
    globalThis.console = workerConsole;
  }
}

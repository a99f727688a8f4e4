/**
 * Runs a test file as Node runs any module. Jest would load everything again for each file, into a
 * separate context, which took 1.4 s of a core and 100 MB per file that starts the service. Here
 * each worker loads packages and sources once. The test file and Jest's state are separate for each
 * file. This gives up mocking of modules, which no test does, and reloading while watching.
 */
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { watchProcess } from './left-behind.js';

process.setSourceMapsEnabled(true);

const require = createRequire(import.meta.url);
const { default: circus } = require('jest-circus/runner');
/** The part that holds the state of one file. */
const STATE = join(require.resolve('jest-circus/runner'), '../jestAdapterInit.js');

/** As global setup has compiled it (test/support/run/compiled-sources.ts). */
function compiled(root, path) {
  const file = join(root, 'dist/for-tests', relative(root, path)).replace(/\.ts$/, '.js');
  return pathToFileURL(file).href;
}

export default async function runTestFile(
  globalConfig,
  config,
  environment,
  runtime,
  testPath,
  sendMessageToJest,
) {
  // Jest has source maps only of what it compiled. Node has those of what it loaded itself.
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
    unstable_importModule: (path) => import(compiled(config.rootDir, path)),
  });
  const endWatch = watchProcess();
  let result;
  let left;
  try {
    result = await circus(globalConfig, config, environment, natively, testPath, sendMessageToJest);
  } finally {
    globalThis.console = workerConsole;
    left = endWatch();
  }
  if (left.length > 0)
    throw new Error(`This file changed its process for later files: ${left.join('; ')}`);
  return result;
}

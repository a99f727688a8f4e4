/**
 * Runs a test file as Node runs any module, with Jest's own jest-circus. Jest itself loads all modules again for each file, into
 * globals of its own: in one run after the other, the 42 files of test/api/people and test/api/agents then took 187 s instead of
 * 91 s. Here each worker loads packages and sources once. This gives up mocks of modules, which no test has.
 */
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

process.setSourceMapsEnabled(true);
// A killed run leaves its workers, which would go on with their files. Their channel to it has ended then.
const endWithRun = () => process.exit(1);
process.once('disconnect', endWithRun);
// Jest ends a worker by no longer listening, and a listener to the end of the channel would keep the process.
process.on('removeListener', (event) => {
  if (event === 'message') process.off('disconnect', endWithRun);
});

const require = createRequire(import.meta.url);
const { default: circus } = require('jest-circus/runner');
/** The part of jest-circus that holds the state of one file. */
const STATE = join(require.resolve('jest-circus/runner'), '../jestAdapterInit.js');
/** Its listeners, which it expects to vanish with the globals of a file. Kept, each one reports every later test once more. */
const LISTENERS = Symbol.for('EVENT_HANDLERS');

/** Where global setup has compiled it. */
const compiled = (root, path) =>
  pathToFileURL(join(root, 'dist/tests', relative(root, path)).replace(/\.ts$/, '.js')).href;

export default async function runTestFile(globalConfig, config, environment, runtime, ...more) {
  // Jest has source maps only of what it compiled. Node has those of what it loaded itself.
  Error.prepareStackTrace = undefined;
  const workerConsole = globalThis.console;
  globalThis.console = environment.global.console;
  const natively = Object.assign(Object.create(runtime), {
    requireInternalModule: () => {
      Reflect.deleteProperty(require.cache, STATE);
      Reflect.deleteProperty(globalThis, LISTENERS);
      return require(STATE);
    },
    requireModule: require,
    setGlobalsForRuntime: (globals) => {
      globalThis[Symbol.for('countersign.jest-globals')] = globals;
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(compiled(config.rootDir, path)),
  });
  try {
    return await circus(globalConfig, config, environment, natively, ...more);
  } finally {
    globalThis.console = workerConsole;
  }
}

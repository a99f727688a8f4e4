/**
 * Test files share processes, so what one file leaves behind would change the outcome of another that happens to come after
 * it. Instead the file that leaves it fails, and the process is put back.
 */

import { performance } from 'node:perf_hooks';

/** How far the clock may be from that of the start. Clocks of machines are set now and then. */
const CLOCK_MS = 30_000;

/** The runner sets the first. The clock of tests (test/support/clocks) replaces the second once and is checked by its time. */
const REPLACED_GLOBALS = ['console', 'Date'];

/** The SDK of Claude sets them, when a worker first loads it and for its program. */
const VARIABLES_OF_PACKAGES = ['CLAUDE_AGENT_SDK_VERSION', 'NoDefaultCurrentDirectoryInExePath'];

/** What a file can change for those after it. Packages may add globals while they load. */
function stateOfProcess() {
  return {
    environment: process.env,
    variables: { ...process.env },
    folder: process.cwd(),
    globals: Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(
      ([name, { value }]) => value !== undefined && !REPLACED_GLOBALS.includes(name),
    ),
  };
}

/** Call it before a file, and what it returns after the file: what the file has left behind, one line each. */
export function watchProcess() {
  const before = stateOfProcess();
  return () => {
    const left = [];
    const mend = (isLeft, what, putBack) => {
      if (!isLeft) return;
      left.push(what);
      putBack();
    };
    mend(process.env !== before.environment, 'process.env is another object', () => {
      process.env = before.environment;
    });
    const names = new Set([...Object.keys(before.variables), ...Object.keys(process.env)]);
    for (const name of VARIABLES_OF_PACKAGES) names.delete(name);
    for (const name of names) {
      const value = before.variables[name];
      mend(process.env[name] !== value, `process.env.${name} was ${value ?? 'not set'}`, () => {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      });
    }
    mend(process.cwd() !== before.folder, `the working folder was ${before.folder}`, () => {
      process.chdir(before.folder);
    });
    for (const [name, descriptor] of before.globals) {
      const value = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
      mend(!Object.is(value, descriptor.value), `globalThis.${name} was another`, () => {
        Object.defineProperty(globalThis, name, descriptor);
      });
    }
    const off = Date.now() - (performance.timeOrigin + performance.now());
    mend(Math.abs(off) > CLOCK_MS, `Date is off by ${off} ms`, () => undefined);
    return left;
  };
}

/**
 * `@jest/globals` for support modules, which outlive a test file: the shared parts, and the hooks
 * of the current file.
 */
const globals = () => globalThis[Symbol.for('countersign.jest-globals')];

export const { expect } = globals();
export const afterAll = (hook, timeout) => globals().afterAll(hook, timeout);
export const afterEach = (hook, timeout) => globals().afterEach(hook, timeout);
export const beforeAll = (hook, timeout) => globals().beforeAll(hook, timeout);
export const describe = (name, tests) => globals().describe(name, tests);
describe.skip = (name, tests) => globals().describe.skip(name, tests);

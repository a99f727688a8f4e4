/** `@jest/globals` for support modules, which outlive a test file: what is the same for all files, and hooks of the file that runs. */
const globals = () => globalThis[Symbol.for('countersign.jest-globals')];

export const { expect } = globals();
export const afterAll = (hook, timeout) => globals().afterAll(hook, timeout);

/** `@jest/globals` for support modules, which outlive a test file: only what is the same for all files. */
export const { expect } = globalThis[Symbol.for('countersign.jest-globals')];

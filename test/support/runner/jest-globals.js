/** `@jest/globals` for the current test file. Node evaluates it again for each file. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } =
  globalThis[Symbol.for('countersign.jest-globals')];

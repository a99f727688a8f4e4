/** `@jest/globals` for the test file that is run now: evaluated for each file anew. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } =
  globalThis[Symbol.for('countersign.jest-globals')];

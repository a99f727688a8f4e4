import { afterAll, describe } from '@jest/globals';
import { pythonEnvironment } from '../../support/run/python.ts';
import { pythonSdk } from './python.ts';
import type { Sdk } from './sdk.ts';
import { typescriptSdk } from './typescript.ts';

type Tests = (sdk: Sdk) => void;

/** The same tests for every SDK. */
export function eachSdk(tests: Tests): void {
  describe('in TypeScript,', () => {
    tests(typescriptSdk());
  });
  inPython('asyncio', tests);
}

/** Likewise, and for both clients of Python, which share their steps: for what waits, ends early or happens at once. */
export function eachClient(tests: Tests): void {
  eachSdk(tests);
  inPython('threads', tests);
}

function inPython(kind: string, tests: Tests): void {
  const python = pythonEnvironment() === undefined ? describe.skip : describe;
  python(`in Python with ${kind},`, () => {
    const sdk = pythonSdk(kind);
    afterAll(async () => {
      await sdk.close();
    });
    tests(sdk);
  });
}

import { afterAll, describe } from '@jest/globals';
import { pythonEnvironment } from '../../support/run/python.ts';
import { pythonSdk } from './python.ts';
import type { Sdk } from './sdk.ts';
import { typescriptSdk } from './typescript.ts';

/** The same tests for every SDK. Python has a client for threads and one for `asyncio`, which share their steps. */
export function eachSdk(tests: (sdk: Sdk) => void): void {
  const python = pythonEnvironment() === undefined ? describe.skip : describe;
  describe('in TypeScript,', () => {
    tests(typescriptSdk());
  });
  for (const kind of ['asyncio', 'threads'])
    python(`in Python with ${kind},`, () => {
      const sdk = pythonSdk(kind);
      afterAll(async () => {
        await sdk.close();
      });
      tests(sdk);
    });
}

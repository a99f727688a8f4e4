/** The adapters and these tests, with the types of the frameworks. `npm run types` leaves them out, because it runs without these. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { test } from './framework.ts';

test('the SDK and the tests of its adapters have no mistake in their types', async () => {
  for (const project of ['sdk/typescript', 'test/sdk/frameworks']) {
    const errors = await promisify(execFile)('npx', ['tsc', '-p', project, '--noEmit'], {
      cwd: packageRoot(),
    }).then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    expect(errors).toBe('');
  }
});

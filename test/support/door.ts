/** Runs the tests of another file once more, with rules at the door. */
import { afterAll } from '@jest/globals';

export async function atTheDoor(file: string, testFile: string): Promise<void> {
  const before = process.env['TEST_RULES'];
  const restore = () => {
    if (before === undefined) delete process.env['TEST_RULES'];
    else process.env['TEST_RULES'] = before;
  };
  process.env['TEST_RULES'] = 'door';
  afterAll(restore);
  try {
    // Another address, because this process may have loaded the file before.
    await import(`${new URL(file, testFile).href}?rules=door`);
  } catch (error) {
    // A file that fails to load has no `afterAll`.
    restore();
    throw error;
  }
}

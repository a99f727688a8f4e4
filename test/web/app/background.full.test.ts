/** Pages that read by themselves: an open tab is no use of the session, so it must not keep it alive. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';

const folder = join(packageRoot(), 'web/src');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

test('every file that reads again after a time does so in the background', () => {
  const polling = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && read(file).includes('refetchInterval'))
    .sort();
  expect(polling).toContain('areas/system/system-data.ts');
  const awake = polling.filter((file) => !read(file).includes('headers: BACKGROUND'));
  expect(awake).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';

const root = join(packageRoot(), 'web/src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
const sources = (end: string) =>
  files
    .filter((file) => file.endsWith(end))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

test('style sheets name the widths at which they change, which stand in one file', () => {
  const widths = sources('.css').flatMap(({ file, text }) =>
    (text.match(/@media[^{]*/g) ?? [])
      .filter((query) => /width/.test(query))
      .map((query) => `${file}: ${query}`),
  );
  expect(widths).toEqual([]);
});

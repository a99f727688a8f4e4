/** Checks that an example difference of a document still applies to the code. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.ts';

const at = (path: string): string => join(packageRoot(), path);

/** The fault of a unified difference without line numbers, if any. `@@` separates places of a file. */
export function faultOfDifference(text: string): string | undefined {
  const files = text.split(/^--- /m);
  if (files.shift() !== '' || files.length === 0) return 'it does not begin with --- and a file';
  return files.map(faultOfFile).find((fault) => fault !== undefined);
}

function faultOfFile(text: string): string | undefined {
  const [before = '', after = '', ...lines] = text.trimEnd().split('\n');
  const path = after.replace(/^\+\+\+ /, '');
  if (before === '/dev/null')
    return existsSync(at(dirname(path))) ? undefined : `${dirname(path)} does not exist`;
  if (before !== path || !existsSync(at(path))) return `${before} does not exist`;
  const source = `\n${readFileSync(at(path), 'utf8')}`;
  const gone = lines
    .join('\n')
    .split(/^@@.*\n/m)
    .map(oldSide)
    .find((place) => !source.includes(`\n${place}\n`));
  return gone === undefined ? undefined : `${path} does not contain ${gone}`;
}

/** What the place looks like before the change. */
const oldSide = (place: string): string =>
  place
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('+'))
    .map((line) => line.slice(1))
    .join('\n');

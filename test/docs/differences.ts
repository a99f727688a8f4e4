/** Checks that an example difference of a document still applies to the code, and applies it to a copy. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
const oldSide = (place: string): string => sideOf(place, '+');
const newSide = (place: string): string => sideOf(place, '-');

const sideOf = (place: string, other: '+' | '-'): string =>
  place
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith(other))
    .map((line) => line.slice(1))
    .join('\n');

/** Changes the files in `folder` as the difference says. Throws where it does not apply, or to several places. */
export function applyDifference(folder: string, text: string): void {
  for (const file of text.split(/^--- /m).slice(1)) {
    const [before = '', after = '', ...lines] = file.trimEnd().split('\n');
    const path = join(folder, after.replace(/^\+\+\+ /, ''));
    const places = lines.join('\n').split(/^@@.*\n/m);
    if (before === '/dev/null') writeFileSync(path, `${places.map(newSide).join('\n')}\n`);
    else writeFileSync(path, places.reduce(replacePlace, readFileSync(path, 'utf8')));
  }
}

function replacePlace(source: string, place: string): string {
  const parts = `\n${source}`.split(`\n${oldSide(place)}\n`);
  if (parts.length !== 2) throw new Error(`${oldSide(place)} is in ${parts.length - 1} places`);
  return parts.join(`\n${newSide(place)}\n`).slice(1);
}

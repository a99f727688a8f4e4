/** Which build of the web app is in its folder, and how the next one replaces it while a service serves it. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

const STAMP = '.stamp';
const isPage = (file) => file.endsWith('.html');

/** Whether the folder holds the whole build of these sources. */
export function isBuilt(folder, sources) {
  try {
    const stamp = JSON.parse(readFileSync(join(folder, STAMP), 'utf8'));
    return stamp.sources === sources && stamp.files.every((file) => existsSync(join(folder, file)));
  } catch {
    return false;
  }
}

/**
 * Moves a build into its folder. Pages come once all that they name is there, and what only the last
 * pages named goes after that.
 */
export function replaceBuild(made, { folder, sources }) {
  const files = filesOf(made);
  for (const file of files.toSorted((one, other) => isPage(one) - isPage(other))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    renameSync(join(made, file), join(folder, file));
  }
  writeFileSync(join(folder, STAMP), JSON.stringify({ sources, files }));
  for (const file of filesOf(folder))
    if (file !== STAMP && !files.includes(file)) rmSync(join(folder, file), { force: true });
}

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** Changes of settings: shown, asked for, backed up, and written as a whole. */
import { copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { differenceOf } from './difference.ts';
import { SettingsError } from './settings.ts';

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Empty, if there is none. */
export async function readSettings(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new SettingsError(`It cannot be read: ${(error as Error).message}`);
  }
}

/** False, if it was not agreed to. */
export async function change(
  file: string,
  { old, changed, isAgreed }: { old: string; changed: string; isAgreed: boolean },
): Promise<boolean> {
  say(`${file}\n${differenceOf(old, changed)}`);
  if (!isAgreed && !(await isWanted())) {
    say('Nothing was written. To write it, answer y, or repeat with --yes.');
    return false;
  }
  if ((await readSettings(file)) !== old)
    throw new SettingsError('It changed meanwhile, so nothing was written. Repeat.');
  await mkdir(dirname(file), { recursive: true });
  // A link stays a link.
  const path = await realpath(file).catch(() => file);
  const mode = await stat(path).then(
    (found) => found.mode,
    () => undefined,
  );
  if (mode !== undefined) {
    const backup = `${path}.backup-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
    await copyFile(path, backup);
    say(`The file as it was: ${backup}`);
  }
  const written = `${path}.countersign-${String(process.pid)}`;
  await writeFile(written, changed, { mode: mode ?? 0o600, flag: 'wx', flush: true });
  await rename(written, path);
  return true;
}

export async function isWanted(question = 'Write this? [y/N] '): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question(question);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

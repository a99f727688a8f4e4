/**
 * Of a call that a runtime reports twice: the first event asks and leaves the id of the approval, the second takes it. Only
 * one of each scope can take it. If none is there, or it is of no use, the second event asks as well.
 */
import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
/** As long as an approval can be used. */
const LIFE_MS = 5 * 60_000;

const AT_HOME = join('.local/state', 'countersign-hook');

/** What the hook keeps between its runs. */
export const stateFolder = (): string => stateFolders()[0] ?? '';

/** A person's shell may name a folder that the installed command does not. The first one is that of this process. */
export const stateFolders = (): readonly string[] => {
  const named = process.env['XDG_STATE_HOME'];
  return [...(named ? [join(named, 'countersign-hook')] : []), sharedFolder()];
};

/** Of the hooks of all scopes: not each of them is given `XDG_STATE_HOME`. */
export const sharedFolder = (): string => join(homedir(), AT_HOME);

const folderOfPairs = () => join(stateFolder(), 'pairs');

export async function leave(pair: string, scope: string, id: string): Promise<void> {
  const folder = folderOfPairs();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, `${pair}-${scope}.${id}`), '', { mode: 0o600 });
}

export async function take(pair: string, scope: string): Promise<string | undefined> {
  const folder = folderOfPairs();
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    const isOld = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs > LIFE_MS,
      () => true,
    );
    const [of, id = ''] = name.split('.');
    if (!isOld && (of !== `${pair}-${scope}` || !UUID.test(id))) continue;
    const isMine = await unlink(path).then(
      () => true,
      () => false,
    );
    if (isMine && !isOld) return id;
  }
  return undefined;
}

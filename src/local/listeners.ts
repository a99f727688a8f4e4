/** Which process listens on a port of this machine. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The state `LISTEN` in the socket tables of Linux. */
const LISTEN = '0A';

/** Does this process itself listen on the TCP port? */
export async function listensAt(pid: number, port: number): Promise<boolean> {
  return process.platform === 'linux' ? await linuxListens(pid, port) : await lsofLists(pid, port);
}

async function linuxListens(pid: number, port: number): Promise<boolean> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map(
      async (name) => await readFile(`/proc/net/${name}`, 'utf8').catch(() => ''),
    ),
  );
  const sockets = new Set(tables.flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return false;
  const folder = `/proc/${pid}/fd`;
  // A process that ended has no folder, and a file may be closed while the folder is read.
  const files = await readdir(folder).catch(() => []);
  const targets = files.map(async (file) => await readlink(`${folder}/${file}`).catch(() => ''));
  return (await Promise.all(targets)).some((target) => sockets.has(target));
}

/** Each as the links of `/proc/<pid>/fd` name it. */
function listeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTEN && local?.endsWith(suffix))
    .map((fields) => `socket:[${fields[9] ?? ''}]`);
}

async function lsofLists(pid: number, port: number): Promise<boolean> {
  const selection = ['-a', '-p', String(pid), `-iTCP:${port}`, '-sTCP:LISTEN'];
  try {
    await promisify(execFile)('lsof', ['-nP', '-t', ...selection]);
    return true;
  } catch {
    return false;
  }
}

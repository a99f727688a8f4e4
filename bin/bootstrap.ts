/** `countersign bootstrap`: creates the organization and its first owner on a running service. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Config } from '../src/platform/config.ts';
import { describeFailure } from './describe-failure.ts';
import { readSecretFile } from '../src/platform/crypto/secret-file.ts';

export interface BootstrapOptions {
  readonly organization: string;
  readonly name: string;
  readonly email: string;
  /** The address of the service. Default: COUNTERSIGN_PUBLIC_URL. */
  readonly url?: string;
  readonly secretFile?: string;
}

/**
 * Resolves with the exit code. Asks for the password on a terminal, or reads it as the first line
 * of standard input.
 */
export async function bootstrap(config: Config, options: BootstrapOptions): Promise<number> {
  const url = options.url ?? config.publicUrl;
  if (url === undefined) return fail('PORT is 0: say where the service answers with --url.');
  const secretFile = options.secretFile ?? join(config.dataDirectory, 'bootstrap-secret');
  const secret = await readSecretFile(secretFile);
  if (secret === undefined) {
    return fail(
      `There is no bootstrap secret in ${secretFile}. The service writes it when it starts and removes it once it was used.`,
    );
  }
  const password = await readPassword();
  let response: Response;
  try {
    response = await fetch(new URL(`${url.replace(/\/+$/, '')}/auth/bootstrap`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        secret,
        organization_name: options.organization,
        display_name: options.name,
        email: options.email,
        password,
      }),
    });
  } catch (error) {
    return fail(`${url} does not answer: ${describeFailure(error)}. Is the service running?`);
  }
  if (!response.ok) return fail(`${url} refused (${response.status}): ${await response.text()}`);
  process.stdout.write(
    [
      `${options.organization} exists, and ${options.email} is its owner. Sign in with:`,
      '',
      `  curl -c cookies.txt -H 'content-type: application/json' ${url}/auth/login \\`,
      `    -d '{"email": "${options.email}", "password": "…"}'`,
      '',
      '',
    ].join('\n'),
  );
  return 0;
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}

function readPassword(): Promise<string> {
  const terminal = process.stdin.isTTY;
  if (terminal) process.stderr.write('Password of the owner (not shown): ');
  // Typed characters are not echoed. The line editing of the terminal still works.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal });
  return new Promise((resolve) => {
    let password = '';
    lines.once('line', (line) => {
      password = line;
      lines.close();
    });
    lines.once('close', () => {
      if (terminal) process.stderr.write('\n');
      resolve(password);
    });
  });
}

/** An organization for `examples/configuration`, and the command line as people use it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  mkdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  apply,
  exportFolder,
  plan,
  type ApplyOptions,
  type ExportOptions,
  type Output,
  type PlanOptions,
} from '../../../bin/configuration/command.ts';
import { OperatorError } from '../../../src/platform/operator-error.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import type { TestApp } from '../../support/app.ts';
import { builtPath } from '../../support/run/built.ts';

export const EXAMPLE = join(packageRoot(), 'examples/configuration');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process. `err` is what a process would print of an error for people. */
export async function ended(run: (output: Output) => Promise<number>): Promise<Ended> {
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  try {
    const code = await run({ write });
    return { code, out, err: '' };
  } catch (error) {
    if (error instanceof OperatorError) return { code: error.exitCode, out, err: error.message };
    throw error;
  }
}

/** Starts `countersign <args>` without a terminal. */
export function started(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [builtPath('bin/countersign.ts'), ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]): Ended => ({
    code: code as number | null,
    ...printed,
  }));
  return { child, ended };
}

/** An organization with the people and the team that the example names, and its files with their emails. */
export async function companyOn(app: TestApp) {
  const cast = await scene({
    on: app,
    people: { ada: REVIEWER, bob: REVIEWER },
    teams: { Payments: ['ada', 'bob'] },
    pipelines: {},
  });
  const folder = mkdtempSync(join(tmpdir(), 'countersign-configuration-'));
  cpSync(EXAMPLE, folder, { recursive: true });
  const file = (path: string) => join(folder, path);
  const read = (path: string) => readFileSync(file(path), 'utf8');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(file(path)), { recursive: true });
    writeFileSync(file(path), text);
  };
  const edit = (path: string, from: string, to: string) => {
    if (!read(path).includes(from)) throw new Error(`${path} has no ${from}`);
    write(path, read(path).replace(from, to));
  };
  const { ada, bob } = cast.people;
  edit('escalation-paths/on-call.yaml', 'ada@example.com', ada.email);
  edit('team-policies/payments.yaml', 'bob@example.com', bob.email);
  // Its host is none, and saving looks it up.
  edit('webhook-endpoints/fraud-check.yaml', 'fraud.example.com', '127.0.0.1');
  const environment = { COUNTERSIGN_URL: app.url, COUNTERSIGN_API_KEY: cast.owner.apiKey };
  const secrets = `${folder}.secrets`;
  const connection = { url: app.url, key: cast.owner.apiKey };
  return {
    ...{ ...cast, folder, file, read, write, edit, environment, secrets, connection },
    plan: (options: PlanOptions = {}) =>
      ended((output) => plan(folder, { ...connection, ...options }, output)),
    apply: (options: ApplyOptions = {}) =>
      ended((output) => apply(folder, { ...connection, secretsFile: secrets, ...options }, output)),
    exportTo: (to: string, options: ExportOptions = {}) =>
      ended((output) => exportFolder(to, { ...connection, ...options }, output)),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
      rmSync(secrets, { force: true });
    },
  };
}

/** The texts of all YAML files below a folder, by their paths. */
export function textsIn(folder: string, inner = ''): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of readdirSync(join(folder, inner)).sort()) {
    const path = join(inner, name);
    if (statSync(join(folder, path)).isDirectory()) Object.assign(texts, textsIn(folder, path));
    else if (name.endsWith('.yaml')) texts[path] = readFileSync(join(folder, path), 'utf8');
  }
  return texts;
}

export const json = (ended: Ended) => JSON.parse(ended.out) as Record<string, never>;

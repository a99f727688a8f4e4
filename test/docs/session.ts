/**
 * Runs the commands of one document in bash, as a reader would, and returns what each block
 * printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Fence } from './documents.ts';

/** Printed after each block. No command prints it. */
const BLOCK_END = '\u001e';
/** Variables and functions of the quickstart, for the guides. */
const STATE = '.session';

export interface SessionRun {
  /** The output of each block, by the line of its fence. A failed block is missing. */
  readonly outputs: ReadonlyMap<number, string>;
  readonly code: number | null;
  /** With the output of the failed block. */
  readonly errors: string;
}

export interface SessionOptions {
  /** The folder in which the commands run and files are written. */
  readonly folder: string;
  /** The address of the service, which replaces the documented one. */
  readonly url: string;
  /** Variables that a reader has set. */
  readonly environment: Readonly<Record<string, string>>;
  /** Keeps variables and functions for later documents. */
  readonly keep: boolean;
}

/** Stops at the first command that fails. */
export async function runSession(
  fences: readonly Fence[],
  { folder, url, environment, keep }: SessionOptions,
): Promise<SessionRun> {
  const steps = fences.flatMap((fence) => stepOf(fence));
  const names = steps.map(({ script }) => script).join('\n');
  const script = [
    `[ ! -f ${STATE} ] || . ./${STATE}`,
    ...steps.map((step) => `${step.script}\nprintf '${BLOCK_END}'`),
    ...(keep ? [`{ ${declarations(names)} } > ${STATE}`] : []),
  ].join('\n');
  const child = spawn(
    'bash',
    ['-euo', 'pipefail', '-c', script.replaceAll('http://127.0.0.1:8080', url)],
    {
      cwd: folder,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  const printed = output.split(BLOCK_END);
  const rest = (printed.pop() ?? '').trim();
  const outputs = new Map(printed.map((each, index) => [steps[index]?.line ?? 0, each.trim()]));
  return { outputs, code, errors: `${errors}${rest}` };
}

interface Step {
  readonly line: number;
  readonly script: string;
}

/** A command block runs, and a file block is written. Anything else is skipped. */
function stepOf({ language, mark, text: content, line }: Fence): Step[] {
  const [, file] = /^file=([\w.-]+)$/.exec(mark) ?? [];
  if (file !== undefined)
    return [{ line, script: `cat > ${file} <<'END_OF_FILE'\n${content}\nEND_OF_FILE` }];
  return language === 'sh' && mark === '' ? [{ line, script: content }] : [];
}

function declarations(script: string): string {
  const unique = (pattern: RegExp) => [
    ...new Set([...script.matchAll(pattern)].map(([, name = '']) => name)),
  ];
  const variables = unique(/^([A-Z][A-Z_]*)=/gm);
  const functions = unique(/^([a-z_]+)\(\)/gm);
  return `declare -p ${variables.join(' ')}; declare -f ${functions.join(' ')};`;
}

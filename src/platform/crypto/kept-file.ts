/** A small file that says what this machine remembers, whatever happens to the process or its power. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { OperatorError } from '../operator-error.ts';

/** The file is of no use now. Its message names the file, and says what to do. */
export class KeptFileFailure extends OperatorError {
  /** What is wrong, without the name of the file. */
  readonly problem: string;

  constructor(
    file: string,
    { problem, advice }: { readonly problem: string; readonly advice: string },
  ) {
    super(`${file} ${problem}. ${advice}`);
    this.name = 'KeptFileFailure';
    this.problem = problem;
  }
}

const FULL = 'Make room on its disk.';
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: 'Give the process a volume that it can write to, or name another file.',
};
const OTHERWISE =
  'Let the user of the process read and write it and its folder, or name another file.';

function failureOf(file: string, act: 'read' | 'written', error: unknown): KeptFileFailure {
  const { code = 'unknown', errno = 0 } = error as NodeJS.ErrnoException;
  const said = getSystemErrorMap().get(errno)?.[1] ?? String(error);
  return new KeptFileFailure(file, {
    problem: `cannot be ${act} (${code}: ${said})`,
    advice: ADVICE[code] ?? OTHERWISE,
  });
}

/** Undefined when there is no such file. Throws `KeptFileFailure` when it cannot be read. */
export async function readKeptFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failureOf(file, 'read', error);
  }
}

/**
 * Readers see all of the earlier text or all of this one (0600). It is on the disk when this resolves. Throws `KeptFileFailure`.
 */
export async function writeKeptFile(file: string, text: string): Promise<void> {
  try {
    await replaceFile(file, text);
  } catch (error) {
    throw failureOf(file, 'written', error);
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The ways to run Countersign that `--with` names. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OperatorError } from '../../src/platform/operator-error.ts';

export interface Variant {
  readonly name: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of a built package. This package by default. */
  readonly build?: string;
  /** The Node executable. The one that runs the benchmark by default. */
  readonly node?: string;
  /** API and worker as two processes. One by default. */
  readonly apart?: boolean;
  /** Of a Temporal server that runs. The run's own by default. */
  readonly temporalAddress?: string;
  /** Of all sessions of its database, for example `plan_cache_mode=force_custom_plan`. */
  readonly databaseSetting?: string;
}

const KINDS: Readonly<Record<string, (value: string) => Omit<Variant, 'name'>>> = {
  door: () => ({ environment: { COUNTERSIGN_RULES: 'door' } }),
  apart: () => ({ apart: true }),
  node: (node) => ({ node }),
  temporal: (temporalAddress) => ({ temporalAddress }),
  postgres: (databaseSetting) => ({ databaseSetting }),
};

/**
 * `door`, `apart`, `node=<file>`, `temporal=<address>`, `postgres=<setting>=<value>`, or the folder
 * of another checkout, which is built if necessary. Throws OperatorError for anything else.
 */
export function variantOf(given: string): Variant {
  const [kind = '', ...value] = given.split('=');
  const variant = KINDS[kind]?.(value.join('='));
  if (variant) return { name: given, ...variant };
  const build = resolve(given);
  if (!existsSync(join(build, 'package.json')))
    throw new OperatorError(
      `--with ${given} is not known. It takes a folder with a checkout of Countersign, peers, floor, or one of ${Object.keys(KINDS).join(', ')}; the last three with a value, such as node=/usr/bin/node.`,
    );
  buildPackage(build);
  return { name: given, build };
}

function buildPackage(folder: string): void {
  if (!existsSync(join(folder, 'tsconfig.json'))) return;
  const { status } = spawnSync('npm', ['run', '-s', 'build'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0)
    throw new OperatorError(`${folder} could not be built. Run \`npm ci\` there, then try again.`);
}

/** The version of a runtime, as its program says it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Runtime, RuntimeName } from './runtimes.ts';

/** The first versions in which the hook can be used: `PreSkillShellCommand` of Claude Code, hooks without a switch of Codex. */
const FIRST: Readonly<Partial<Record<RuntimeName, string>>> = {
  claude: '2.1.332',
  codex: '0.124.0',
};

export interface Version {
  /** Undefined where the program does not say it. */
  readonly version?: string;
  /** Why the hook cannot be used. */
  readonly refusal?: string;
}

export async function versionOf({ name, title }: Runtime, binary = name): Promise<Version> {
  const first = FIRST[name];
  // Cursor says its version in the event only.
  if (first === undefined) return {};
  const version = await promisify(execFile)(binary, ['--version'], { timeout: 20_000 }).then(
    ({ stdout }) => /\d+\.\d+\.\d+/.exec(stdout)?.[0],
    () => undefined,
  );
  if (version === undefined)
    return {
      refusal: `${binary} --version does not say a version. Give the path of ${title} with --binary.`,
    };
  if (isOlder(version, first))
    return {
      version,
      refusal: `${title} ${version} is too old: calls would run without the hook. Update it to ${first} or newer.`,
    };
  return { version };
}

function isOlder(version: string, first: string): boolean {
  const [one, other] = [version, first].map((each) => each.split('.').map(Number));
  const place = (one ?? []).findIndex((part, index) => part !== other?.[index]);
  return place >= 0 && (one?.[place] ?? 0) < (other?.[place] ?? 0);
}

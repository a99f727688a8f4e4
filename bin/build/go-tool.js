/** Programs that Go builds from the versions in bin/build/tools/go.mod and keeps in its cache. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The path of the program, or why there is none. */
export function goTool(name) {
  // `-n` prints where the built program is.
  const build = spawnSync('go', ['-C', 'bin/build/tools', 'tool', '-n', name], {
    cwd: root,
    encoding: 'utf8',
  });
  if (build.status === 0) return { path: build.stdout.trim() };
  if (build.error) return { why: 'Go is not installed.' };
  const [why = ''] = build.stderr.trim().split('\n').slice(-1);
  return { why: `Go could not build ${name}. ${why}` };
}

/** A check that cannot run here is no failure, except on GitHub, which has what it needs. */
export function notChecked(what, why) {
  console.log(`${what} were not checked: ${why}`);
  if (process.env.GITHUB_ACTIONS) process.exitCode = 1;
}

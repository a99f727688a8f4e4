/** Checks the workflows with actionlint, which Go builds from the version in .github/actionlint/go.mod and keeps in its cache. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

// `go tool -n` prints where the built program is.
const build = spawnSync('go', ['-C', '.github/actionlint', 'tool', '-n', 'actionlint'], {
  cwd: root,
  encoding: 'utf8',
});
if (build.status === 0) {
  const check = spawnSync(build.stdout.trim(), { cwd: root, stdio: 'inherit' });
  process.exitCode = check.status ?? 1;
} else if (build.error) {
  console.log('The workflows were not checked, because Go is not installed.');
} else {
  const [why = ''] = build.stderr.trim().split('\n').slice(-1);
  console.log(`The workflows were not checked: Go could not build actionlint. ${why}`);
  // On GitHub, Go is there to check them.
  if (process.env.GITHUB_ACTIONS) process.exitCode = 1;
}

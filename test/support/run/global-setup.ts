import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../../src/platform/package-root.ts';
import type { Config } from '@jest/types';
import { builtTestPath } from './built.ts';
import { prepareFrameworks } from './frameworks.ts';
import { findImageTools } from './image.ts';
import { preparePython } from './python.ts';
import type { ServerAddresses } from './servers.ts';

/** Jest runs setup and teardown in one process, so its global object hands over the servers. */
export interface WithServers {
  countersignTestServers?: ChildProcess;
}

/** Whether the run has tests of this tier in this folder, which need what takes long to prepare. */
function hasTests(
  { testPathPatterns }: Config.GlobalConfig,
  { rootDir, testMatch, testPathIgnorePatterns }: Config.ProjectConfig,
  { folder, tier }: { readonly folder: string; readonly tier: 'full' | 'night' },
): boolean {
  if (!['**/*.test.ts', `**/*.${tier}.test.ts`].some((glob) => testMatch.includes(glob)))
    return false;
  const patterns = testPathPatterns.toExecutor({ rootDir });
  return testsIn(join(rootDir, folder), tier).some(
    (path) =>
      patterns.isMatch(path) && !testPathIgnorePatterns.some((each) => new RegExp(each).test(path)),
  );
}

/** Never through a link: packages of agent frameworks are linked into a folder of these. */
const testsIn = (folder: string, tier: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testsIn(path, tier);
    return path.endsWith(`.${tier}.test.ts`) ? [path] : [];
  });

/** Builds the service and the programs of tests, and starts one Postgres and one Temporal for the run. */
export default async function globalSetup(
  run?: Config.GlobalConfig,
  project?: Config.ProjectConfig,
): Promise<void> {
  await build();
  const has = (folder: string, tier: 'full' | 'night') =>
    run && project && hasTests(run, project, { folder, tier });
  // Python and agent frameworks take minutes to install.
  const further = has('test/sdk', 'full')
    ? [preparePython(), prepareFrameworks()]
    : has('test/examples', 'full')
      ? [preparePython()]
      : [];
  if (has('test/image', 'night')) findImageTools();
  await Promise.all([startServers(), ...further]);
}

async function build(): Promise<void> {
  const command = ['bin/build/build.js', '--tests'];
  const child = spawn(process.execPath, command, { cwd: packageRoot(), stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the build failed');
  const directory = join(packageRoot(), 'dist/tests/node_modules/@jest/globals');
  mkdirSync(directory, { recursive: true });
  const manifest = { name: '@jest/globals', type: 'module', exports: './index.js' };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  copyFileSync(
    join(packageRoot(), 'test/support/run/jest-globals.js'),
    join(directory, 'index.js'),
  );
}

/** A separate process ends them, however this one ends. */
async function startServers(): Promise<void> {
  const child = spawn(process.execPath, [builtTestPath('test/support/run/servers.ts')], {
    cwd: packageRoot(),
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C goes to all processes of a group. This one still has to clean up.
    detached: true,
  });
  (globalThis as WithServers).countersignTestServers = child;
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  if (typeof value !== 'string') throw new Error('the servers of the tests did not start');
  const { postgresUrl, temporalAddress, namespace } = JSON.parse(value) as ServerAddresses;
  process.env['TEST_POSTGRES_URL'] = postgresUrl;
  process.env['TEST_TEMPORAL_ADDRESS'] = temporalAddress;
  process.env['TEST_TEMPORAL_NAMESPACE'] = namespace;
}

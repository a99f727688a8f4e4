/** The build that global setup made, for what runs outside of a test file: processes, threads and the workflow bundle. */
import { join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';

/** The JavaScript of a source of the service, as it is published. `source`: its path from the root of the package. */
export function builtPath(source: string): string {
  return join(packageRoot(), 'dist', source.replace(/\.ts$/, '.js'));
}

/** The JavaScript of a source as tests run it, or of a program of the tests. */
export const builtTestPath = (source: string): string => builtPath(join('tests', source));

export const WORKFLOW_BUNDLE = builtPath('workflow-bundle.js');

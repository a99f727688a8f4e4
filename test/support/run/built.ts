/** The build that global setup made, for what runs outside of Jest: processes, threads and the workflow bundle. */
import { join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';

/** The JavaScript of a source. `source`: its path from the root of the package. */
export function builtPath(source: string): string {
  return join(packageRoot(), 'dist', source.replace(/\.ts$/, '.js'));
}

export const WORKFLOW_BUNDLE = builtPath('workflow-bundle.js');

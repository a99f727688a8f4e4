/** For tests of agent frameworks. Where npm could not install these, each test is skipped, and the summary says so. */
import { test as everywhere } from '@jest/globals';
import { frameworkPackages } from '../../support/run/frameworks.ts';

const missing = frameworkPackages() === undefined;

export const test = missing ? everywhere.skip : everywhere;

/** The framework, or an adapter that imports it. Nothing of it is there while its tests are skipped. */
export async function framework<Module extends object>(
  load: () => Promise<Module>,
): Promise<Module> {
  return missing ? ({} as Module) : await load();
}

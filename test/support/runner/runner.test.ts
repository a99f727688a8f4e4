/**
 * The internals of Jest that test/support/runner needs. When an upgrade moves one, this test names
 * it, and the runner must change.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';

const require = createRequire(import.meta.url);
const circus = require.resolve('jest-circus/runner');
/** Source without quotes, because the compiler that builds Jest may choose other ones. */
const source = readFileSync(circus, 'utf8').replaceAll(/["'`]/g, '');

describe('the test runner relies on jest-circus', () => {
  test('to export one function that runs a test file', () => {
    const { default: run } = require(circus) as { default: unknown };
    expect(run).toBeInstanceOf(Function);
    expect(run).toHaveLength(6);
  });

  test('to keep the state of one file in jestAdapterInit.js beside its runner', () => {
    const state = require(join(circus, '../jestAdapterInit.js')) as Record<string, unknown>;
    expect(state).toMatchObject({
      initialize: expect.any(Function),
      runAndTransformResultsToJestFormat: expect.any(Function),
    });
    expect(source).toContain('require.resolve(./jestAdapterInit)');
  });

  test.each([
    'runtime.requireInternalModule(FRAMEWORK_INITIALIZER)',
    'runtime.requireModule.bind(runtime)',
    'runtime.setGlobalsForRuntime.bind(runtime)',
    'runtime.unstable_shouldLoadAsEsm(testPath)',
    'await runtime.unstable_importModule(testPath)',
  ])('to load through %s, which the runner replaces', (call) => {
    expect(source).toContain(call);
  });
});

describe('what a support module keeps of @jest/globals', () => {
  const GLOBALS = Symbol.for('countersign.jest-globals');
  const holder = globalThis as unknown as Record<symbol, unknown>;
  const own = holder[GLOBALS];
  afterEach(() => {
    holder[GLOBALS] = own;
  });

  test.each<[string, typeof describe | typeof describe.skip]>([
    ['describe', describe],
    ['describe.skip', describe.skip],
  ])('calls the %s of the file that runs then', (name, kept) => {
    const calls: string[] = [];
    const collect = (called: string) => () => void calls.push(called);
    holder[GLOBALS] = {
      ...(own as object),
      describe: Object.assign(collect('describe'), { skip: collect('describe.skip') }),
    };
    kept('of a later file', () => undefined);
    expect(calls).toEqual([name]);
  });
});

/** The runner loads it as it is, and not from what global setup has compiled. */
const { watchProcess } = (await import(
  pathToFileURL(join(packageRoot(), 'test/support/runner/left-behind.js')).href
)) as { watchProcess: () => () => string[] };

describe('a file that changes its process for later files', () => {
  const { environment, folder } = { environment: process.env, folder: process.cwd() };
  const RealError = Error;

  test.each<[string, () => void, string]>([
    ['sets a variable', () => (process.env['LEFT'] = '1'), 'process.env.LEFT was not set'],
    [
      'removes one',
      () => delete process.env['PATH'],
      `process.env.PATH was ${environment['PATH']}`,
    ],
    [
      'replaces all of them',
      () => (process.env = { ...environment }),
      'process.env is another object',
    ],
    ['goes elsewhere', () => void process.chdir('/'), `the working folder was ${folder}`],
    [
      'replaces a global',
      () => (globalThis.Error = class extends Error {} as ErrorConstructor),
      'globalThis.Error was another',
    ],
  ])('is named when it %s, and the process is put back', (_what, change, name) => {
    const endWatch = watchProcess();
    change();
    expect(endWatch()).toEqual([name]);
    expect(process.env).toBe(environment);
    expect(endWatch()).toEqual([]);
    expect([process.cwd(), Error]).toEqual([folder, RealError]);
  });
});

/** The private parts of libraries are as the web app uses them. A failure names what an upgrade changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';
import {
  FORM_COMPONENTS,
  isFormComponent,
  MANTINE_COMPONENTS,
  ROLLDOWN_RUNTIME,
} from '../../../web/build/library-internals.ts';

const packages = join(packageRoot(), 'node_modules');
const read = (file: string): string => readFileSync(join(packages, file), 'utf8');

test('TanStack Router looks for its mark before it reloads a page whose code is gone', () => {
  const code = read('@tanstack/react-router/dist/esm/lazyRouteComponent.js');
  expect(code).toContain('`tanstack_router_reload:${error.message}`');
  expect(code).toContain('if (!sessionStorage.getItem(storageKey))');
});

test.each(FORM_COMPONENTS)('Mantine has the modules of %s in a folder of that name', (name) => {
  const modules = readdirSync(join(packages, MANTINE_COMPONENTS, name));
  expect(modules).toContain(`${name}.mjs`);
  expect(isFormComponent(join(packages, MANTINE_COMPONENTS, name, `${name}.mjs`))).toBe(true);
});

test('Mantine reads the variables that our tokens set', () => {
  const tokens = readFileSync(join(packageRoot(), 'web/src/shared/design/tokens.css'), 'utf8');
  const set = [...tokens.matchAll(/(--mantine-[\w-]+):/g)].map(([, name = '']) => name);
  const known = read('@mantine/core/styles.css');
  expect(set.length).toBeGreaterThan(10);
  expect(set.filter((name) => !known.includes(name))).toEqual([]);
});

test('Mantine takes the color scheme from the attribute that the page sets before its first draw', () => {
  expect(read('@mantine/core/styles.css')).toContain('[data-mantine-color-scheme=');
  const main = readFileSync(join(packageRoot(), 'web/src/app/main.tsx'), 'utf8');
  expect(main).toContain("dataset['mantineColorScheme']");
});

test('Rolldown names its runtime as the split of the code expects', () => {
  const [, name = ''] =
    /const RUNTIME_MODULE_ID = "(.+)";/.exec(read('rolldown/dist/index.mjs')) ?? [];
  expect(JSON.parse(`"${name.replace('\\0', '\\u0000')}"`)).toBe(ROLLDOWN_RUNTIME);
});

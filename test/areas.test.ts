/** Areas of a layer need each other one way, so that each can be read, moved and tested without those above it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../src/platform/package-root.ts';

const LAYERS = ['src/services', 'src/data', 'src/domain'];
const IMPORT = /^(?:import|export)\s[^;]*?from '(\.[^']+)'/gm;

interface Source {
  /** Below the layer. */
  readonly path: string;
  readonly text: string;
}

/** Files at the top of a layer are of no area. */
const areaOf = (path: string): string | undefined =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined;

/** Areas that need each other, with a file of each direction. Types count. */
function mutual(sources: readonly Source[]): readonly string[] {
  const needs = new Map<string, string>();
  for (const { path, text } of sources)
    for (const [, target = ''] of text.matchAll(IMPORT)) {
      const [from, to] = [areaOf(path), areaOf(join(dirname(path), target))];
      if (from !== undefined && to !== undefined && to !== '..' && from !== to)
        needs.set(`${from} → ${to}`, `${path} imports ${target}`);
    }
  return [...needs].flatMap(([pair, why]) => {
    const [from = '', to = ''] = pair.split(' → ');
    const back = needs.get(`${to} → ${from}`);
    return back !== undefined && from < to ? [`${from} ↔ ${to}: ${why}, ${back}`] : [];
  });
}

function sourcesOf(layer: string): readonly Source[] {
  const folder = join(packageRoot(), layer);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

test.each(LAYERS)('no two areas of %s need each other', (layer) => {
  expect(mutual(sourcesOf(layer))).toEqual([]);
});

test('two areas that need each other are found, types and folders below them included', () => {
  const sources = [
    { path: 'people/keys.ts', text: "import {\n  a,\n} from '../sign-in/sessions.ts';\n" },
    { path: 'sign-in/oidc/claims.ts', text: "import type { B } from '../../people/keys.ts';\n" },
    { path: 'agents/agents.ts', text: "import { c } from '../people/keys.ts';\n" },
    { path: 'people/teams.ts', text: "import { d } from '../../domain/agents/agents.ts';\n" },
    { path: 'people/names.ts', text: "import { e } from '../names.ts';\n" },
  ];
  expect(mutual(sources)).toEqual([
    'people ↔ sign-in: people/keys.ts imports ../sign-in/sessions.ts, sign-in/oidc/claims.ts imports ../../people/keys.ts',
  ]);
});

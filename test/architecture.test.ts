/** The arrows between folders, as ARCHITECTURE.md draws them, read from the imports themselves. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { packageRoot } from '../src/platform/package-root.ts';

interface Import {
  readonly from: string;
  /** A file of ours, by its path, or a package as written. */
  readonly to: string;
  readonly typeOnly: boolean;
}

interface Layer {
  /** Folders and single files of ours it may import besides itself. */
  readonly ours: readonly string[];
  /** Of these, types only. */
  readonly typesOf?: readonly string[];
  /** The only packages, where few will do. */
  readonly packages?: readonly RegExp[];
  /** Packages that belong behind another door. */
  readonly not?: readonly RegExp[];
}

const TEMPORAL = /^@temporalio\//;
const HTTP = /^(koa|koa-.*|@koa\/.*|undici)$/;
const SQL = /^(knex|pg)$/;

const layers: Readonly<Record<string, Layer>> = {
  'src/platform': { ours: [], not: [TEMPORAL, /^(koa|koa-.*|@koa\/.*)$/] },
  'src/local': { ours: ['src/platform'], not: [HTTP] },
  'src/domain': {
    ours: ['src/platform/exact-json.ts'],
    packages: [/^(luxon|cel-js|re2js|node:crypto)$/],
  },
  'src/data': { ours: ['src/domain', 'src/platform'], not: [TEMPORAL, HTTP] },
  'src/services': { ours: ['src/data', 'src/domain', 'src/platform'], not: [TEMPORAL, HTTP, SQL] },
  api: { ours: ['src/services', 'src/domain', 'src/platform'], not: [TEMPORAL, SQL] },
  workflows: {
    ours: ['src/domain'],
    typesOf: ['activities'],
    packages: [/^@temporalio\/(workflow|common)$/],
  },
  // The contract holds no code, only the words both sides use.
  activities: {
    ours: ['src/services', 'src/domain', 'src/platform', 'workflows/approval-request/contract.ts'],
    packages: [/^@temporalio\/(activity|common)$/],
  },
  temporal: {
    ours: ['src/services', 'src/domain', 'src/platform', 'workflows', 'activities'],
    not: [SQL, HTTP],
  },
  migrations: { ours: [], packages: [SQL] },
  demo: { ours: ['src/platform', 'src/local', 'temporal/ids.ts'], not: [TEMPORAL, SQL] },
};

const root = packageRoot();
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const folders = [...Object.keys(layers), 'bin', 'bench', 'test'];
const folderOf = (file: string) => folders.find((folder) => file.startsWith(`${folder}/`));
const sources = tracked.filter((file) => file.endsWith('.ts') && folderOf(file) !== undefined);
const imports = sources.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const { text } = specifier;
    found.push({
      from: file,
      to: text.startsWith('.') ? posix.join(dirname(file), text) : text,
      typeOnly,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  return (
    !clause.name &&
    !!bindings &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every((element) => element.isTypeOnly)
  );
}

const isOurs = ({ to }: Import) => folderOf(to) !== undefined;
const covers = (allowed: string, to: string) => to === allowed || to.startsWith(`${allowed}/`);
const show = ({ from, to, typeOnly }: Import) => `${from} → ${to}${typeOnly ? ' (type)' : ''}`;

describe.each(Object.entries(layers))(
  '%s/',
  (folder, { ours, typesOf = [], packages, not = [] }) => {
    const own = imports.filter(({ from }) => folderOf(from) === folder);

    test('imports from the house only what its door leads to', () => {
      const allowed = ({ to, typeOnly }: Import) =>
        [folder, ...ours].some((door) => covers(door, to)) ||
        (typeOnly && typesOf.some((door) => covers(door, to)));
      expect(own.filter((entry) => isOurs(entry) && !allowed(entry)).map(show)).toEqual([]);
    });

    test('imports only packages that belong to it', () => {
      const allowed = ({ to }: Import) =>
        (packages === undefined || packages.some((pattern) => pattern.test(to))) &&
        !not.some((pattern) => pattern.test(to));
      expect(own.filter((entry) => !isOurs(entry) && !allowed(entry)).map(show)).toEqual([]);
    });
  },
);

describe('imports', () => {
  test('are seen at all', () => {
    expect(imports.length).toBeGreaterThan(500);
    expect(imports.filter(({ typeOnly }) => typeOnly).length).toBeGreaterThan(100);
  });

  test('of our own files name a file that exists', () => {
    const dangling = imports.filter(
      ({ to }) =>
        /^(\.|[a-z]+\/.*\.(ts|js)$)/.test(to) && folderOf(to) && !existsSync(join(root, to)),
    );
    expect(dangling.map(show)).toEqual([]);
  });

  test('never go in a circle from file to file while the service runs', () => {
    const graph = new Map<string, string[]>();
    for (const { from, to } of imports.filter((entry) => !entry.typeOnly && isOurs(entry)))
      graph.set(from, [...(graph.get(from) ?? []), to]);
    expect(circles((file) => graph.get(file) ?? [], sources)).toEqual([]);
  });

  test('never go in a circle from folder to folder while the service runs', () => {
    const next = (folder: string) =>
      imports
        .filter((entry) => !entry.typeOnly && isOurs(entry) && folderOf(entry.from) === folder)
        .map(({ to }) => folderOf(to) ?? '')
        .filter((to) => to !== folder);
    expect(circles(next, Object.keys(layers))).toEqual([]);
  });

  test('of a workflow lead to nothing of Node, however long the way', () => {
    const reached = new Set(sources.filter((file) => file.startsWith('workflows/')));
    const outside: string[] = [];
    for (const file of reached) {
      for (const entry of imports.filter(({ from, typeOnly }) => from === file && !typeOnly)) {
        if (isOurs(entry)) reached.add(entry.to);
        else if (!/^@temporalio\/(workflow|common)$/.test(entry.to)) outside.push(show(entry));
      }
    }
    expect(outside).toEqual([]);
  });
});

/** One circle for each start that has one. */
function circles(next: (node: string) => readonly string[], nodes: readonly string[]): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) found.push([...path.slice(path.indexOf(node)), node].join(' → '));
    else if (!done.has(node)) {
      for (const to of new Set(next(node))) walk(to, [...path, node]);
      done.add(node);
    }
  };
  for (const node of nodes) walk(node, []);
  return found;
}

describe('files', () => {
  const ownCode = sources.filter((file) => !file.startsWith('test/'));

  test('live in a folder this table knows', () => {
    expect(tracked.filter((file) => file.endsWith('.ts') && folderOf(file) === undefined)).toEqual(
      [],
    );
  });

  test('export by name only; what a test runner loads is the exception', () => {
    const defaults = sources.filter(
      (file) => /^export default\b/m.test(read(file)) || /\bas default\b/.test(read(file)),
    );
    expect(defaults).toEqual([
      'test/support/run/global-setup.ts',
      'test/support/run/global-teardown.ts',
    ]);
  });

  test('have at most 500 lines', () => {
    expect(ownCode.filter((file) => read(file).split('\n').length > 501)).toEqual([]);
  });

  test('are no barrels, but the two lists Temporal is given', () => {
    expect(sources.filter((file) => basename(file) === 'index.ts')).toEqual([
      'activities/index.ts',
      'workflows/index.ts',
    ]);
    const passingOn = ownCode.filter(
      (file) => basename(file) !== 'index.ts' && /^export (\*|\{[^}]*\}) from /m.test(read(file)),
    );
    expect(passingOn).toEqual([]);
  });

  test('are not called after nothing in particular', () => {
    expect(
      tracked.filter((file) => /(^|\/)(utils?|helpers?|common|misc|shared)(\/|\.|$)/.test(file)),
    ).toEqual([]);
  });

  test('of a layer bear the stem of the same noun: every endpoint file has a service or a table', () => {
    // What is named after its path rather than its noun, and the noun it serves.
    const named: Readonly<Record<string, string>> = {
      'aap-approval-requests': 'create',
      'approval-requests': 'queue',
      'approval-request-claims': 'claims',
      'approval-request-reviewers': 'reviewers',
      'approval-request-routing': 'routing-view',
      auth: 'sessions',
    };
    const endpointFiles = ownCode.filter(
      (file) =>
        /^api\/(?!http|openapi)[a-z-]+\/.+\.ts$/.test(file) &&
        /defineEndpoint\(\{|revisionEndpoints\(\{/.test(read(file)),
    );
    const stems = endpointFiles.map((file) => basename(file, '.ts'));
    const homeless = stems.filter((stem) => {
      const noun = named[stem] ?? stem;
      const pattern = new RegExp(`^src/(services|data)/.+/${noun}(/|\\.ts$)`);
      return !tracked.some((file) => pattern.test(file));
    });
    expect(stems.length).toBeGreaterThan(5);
    expect(homeless).toEqual([]);
  });

  test('hold no note to be done later and no path of somebody’s machine', () => {
    const text = tracked.filter(
      (file) =>
        !/(^|\/)(package-lock\.json|go\.sum)$/.test(file) &&
        !/\.(png|jpg|ico|woff2?|gz)$/.test(file),
    );
    const words = new RegExp(
      ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].map((word) => `\\b${word}\\b`).join('|'),
    );
    const paths = /(^|[\s"'`(=])(\/work|\/root|\/home\/[a-z]+|\/Users\/[A-Za-z]+|[A-Z]:\\Users)\//m;
    expect(text.filter((file) => words.test(read(file)))).toEqual([]);
    expect(text.filter((file) => paths.test(read(file)))).toEqual([]);
  });
});

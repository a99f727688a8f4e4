/**
 * What the documents name exists: files, folders, links with their headings, npm scripts, paths of
 * the API.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { variableNames } from '../../src/platform/config-table.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { DOCUMENTS, fencesOf, readDocument } from './documents.ts';

const root = packageRoot();

/** Written by the documented commands, so they need not exist yet. */
const MADE_BY_RUNNING = new Set(['bench/results.json']);
const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.countersign', 'coverage']);
/** Answered by the server itself, beside the endpoints. */
const OPERATIONS = ['/api/docs', '/api/openapi.yaml', '/health/live', '/health/ready', '/metrics'];
/** Variables of the compose file, and of other programs. */
const OTHER_VARIABLES = new Set([
  'COUNTERSIGN_API_KEY',
  // The SDK reads these.
  'COUNTERSIGN_URL',
  'COUNTERSIGN_TOKEN',
  'COUNTERSIGN_CREDENTIAL',
]);

const all = everyPath();
const known = new Set([...all, ...all.map((path) => path.replace(/\/$/, ''))]);
const names = new Set(all.map((path) => basename(path)));

/** Every file and folder of the repository, with a slash after folders. */
function everyPath(): string[] {
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter(({ name }) => folder !== '' || !NOT_OURS.has(name))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? [`${path}/`, ...walk(path)] : [path];
      });
  return walk('');
}

const proseOf = (markdown: string): string => markdown.replaceAll(/^```[^]*?^```/gm, '');
const wordsOf = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/\s+/));

/**
 * Words in code that look like a file or folder of ours. Files that the reader creates do not
 * count.
 */
function namedPaths(markdown: string): string[] {
  const made = new Set(fencesOf(markdown).map(({ mark }) => mark.replace(/^file=/, '')));
  const isFile = (word: string) =>
    /^\.?[\w-]+(\/[\w.-]+)*\.(ts|js|mjs|json|md|yml|yaml|sql|sh|mod)$/.test(word);
  const isFolder = (word: string) => /^[\w.-]+(\/[\w.-]+)*\/$/.test(word);
  const isPath = (word: string) =>
    /^\.?[\w-]+(\/[\w.-]+)+$/.test(word) && existsSync(join(root, word.split('/', 1)[0] ?? ''));
  const found = wordsOf(markdown).filter((word) => isFile(word) || isFolder(word) || isPath(word));
  return [...new Set(found)].filter((word) => !made.has(word) && !MADE_BY_RUNNING.has(word));
}

/** A name with a slash is a path from the root. One without may be a file of any folder. */
const exists = (path: string): boolean => (path.includes('/') ? known.has(path) : names.has(path));

/** Anchors as GitHub creates them. */
function anchorsOf(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Of links, and of pictures that differ in light and dark. */
function linkTargets(document: string): string[] {
  const prose = proseOf(readDocument(document));
  return [
    ...prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g),
    ...prose.matchAll(/\b(?:src|srcset)="([^"]+)"/g),
  ].map(([, target = '']) => target);
}

function brokenLinks(document: string): string[] {
  return linkTargets(document).flatMap((target) => {
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? document : normalize(join(dirname(document), file));
    if (!known.has(path)) return [target];
    const isThere =
      anchor === undefined || anchorsOf(readFileSync(join(root, path), 'utf8')).includes(anchor);
    return isThere ? [] : [target];
  });
}

/** Placeholders are compared as such, whatever their names. */
const shape = (path: string): string => path.replaceAll(/\{\w+\}|\$\w+/g, '*');
const served = new Set([...endpoints.map(({ path }) => shape(path)), ...OPERATIONS]);

/** Paths of the API in code, with or without method, address and query. */
function namedInterfacePaths(markdown: string): string[] {
  return [
    ...new Set(
      [
        ...proseOf(markdown).matchAll(
          /(?<![\w.-])(\/(?:api\/v1|api\/aap|api\/docs|auth|health|metrics)(?:\/[\w/{}.-]*)?)(?=[`?\s])/g,
        ),
      ].map(([, path = '']) => path),
    ),
  ];
}

const isServed = (path: string): boolean =>
  served.has(shape(path)) || [...served].some((each) => each.startsWith(`${shape(path)}/`));

describe.each(DOCUMENTS)('%s', (document) => {
  const markdown = readDocument(document);

  test('names only commands that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...markdown.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('names only files and folders that exist', () => {
    expect(namedPaths(markdown).filter((path) => !exists(path))).toEqual([]);
  });

  test('links only to files and headings that exist', () => {
    expect(brokenLinks(document)).toEqual([]);
  });

  test('names only paths that the service answers', () => {
    expect(namedInterfacePaths(markdown).filter((path) => !isServed(path))).toEqual([]);
  });

  test('names only variables that the service reads', () => {
    const known = new Set<string>(variableNames());
    const named = [...new Set(markdown.match(/\bCOUNTERSIGN_[A-Z_]+\b/g))];
    expect(named.filter((name) => !known.has(name) && !OTHER_VARIABLES.has(name))).toEqual([]);
  });
});

test('the documents are found, and the tests see what they name', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(20);
  expect(namedPaths(readDocument('ARCHITECTURE.md')).length).toBeGreaterThan(50);
  expect(
    DOCUMENTS.flatMap((name) => namedInterfacePaths(readDocument(name))).length,
  ).toBeGreaterThan(30);
  const linked = proseOf(readDocument('docs/README.md'));
  const unlinked = DOCUMENTS.filter(
    (name) => name.startsWith('docs/') && name !== 'docs/README.md',
  ).filter((name) => !linked.includes(`(${name.slice('docs/'.length)})`));
  expect(unlinked).toEqual([]);
});

test('every picture is shown by a document, and quick to load', () => {
  const shown = new Set(
    DOCUMENTS.flatMap((document) =>
      linkTargets(document).map((target) => normalize(join(dirname(document), target))),
    ),
  );
  const pictures = all.filter((path) => /^docs\/pictures\/.+\.png$/.test(path));
  expect(pictures.length).toBeGreaterThan(3);
  expect(pictures.filter((path) => !shown.has(path))).toEqual([]);
  expect(pictures.filter((path) => statSync(join(root, path)).size > 150_000)).toEqual([]);
});

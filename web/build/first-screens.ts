/**
 * A Vite plugin: the screens that links open load two files of scripts, at once: one that all screens have, and their own.
 * Split as Rolldown does by itself, they are 47 to 66 files. On a slow processor, the queue and a request then take 1.5 to
 * 2.2 times as long until they are shown.
 */
import { join, parse } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const ENTRY = 'src/app/main.tsx';
/** The name of the file with what all screens need. */
const SHARED = 'shared';

/** The names of pages, and the screens that each loads. `api/pages/web-app.ts` serves the pages. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  requests: [
    'src/areas/requests/queue/queue-layout.tsx',
    'src/areas/requests/queue/no-request.tsx',
    'src/areas/requests/request/request.tsx',
  ],
  'sign-in': ['src/areas/sign-in/login.tsx'],
};

const FIRST_FILES = [SHARED, ...Object.keys(PAGES)];

/** The name of the files with what several other screens need. */
const COMMON = 'common';
/** Each further file costs the first screens its name, as the entry knows all files. So the smallest ones are joined. With larger ones, a screen loads what only others need. */
const LEAST_BYTES = 400;

/**
 * Begins a file. Chromium then compiles all its functions beside the main thread, while the file loads. A first screen
 * calls most of them. The file keeps its name, because its code is the same with and without this line.
 */
const COMPILE_ALL = '//# allFunctionsCalledOnLoad\n';

export function firstScreens(): Plugin {
  let root = '';
  let names: ReadonlyMap<string, string> | undefined;
  const first: Rolldown.CodeSplittingGroup = {
    name: (id, graph) => {
      names ??= fileNames(root, (each) => graph.getModuleInfo(each));
      return names.get(id);
    },
    // A file takes what its modules need, too. All of it has a name here.
    includeDependenciesRecursively: false,
    priority: 1,
    debugName: 'first',
  };
  const common: Rolldown.CodeSplittingGroup = {
    name: COMMON,
    minShareCount: 2,
    entriesAware: true,
    entriesAwareMergeThreshold: LEAST_BYTES,
    priority: 0,
  };
  return {
    name: 'first-screens',
    apply: 'build',
    config: () => ({
      build: {
        rolldownOptions: {
          output: {
            chunkFileNames: ({ name }) => `assets/${shortName(name)}-[hash].js`,
            assetFileNames: ({ names: [name = ''] }) =>
              `assets/${shortName(parse(name).name)}-[hash][extname]`,
            codeSplitting: { groups: [first, common] },
          },
        },
      },
    }),
    configResolved: (config) => {
      ({ root } = config);
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const index = bundle['index.html'];
        if (index?.type !== 'asset') this.error('Vite made no index.html.');
        for (const file of Object.values(bundle))
          if (file.type === 'chunk' && FIRST_FILES.includes(file.name))
            file.code = COMPILE_ALL + file.code;
        index.source = withFont(String(index.source), bundle);
        for (const [fileName, source] of pagesOf(index.source, bundle))
          this.emitFile({ type: 'asset', fileName, source });
      },
    },
  };
}

/** Rolldown adds to the name of a common file those of all screens that need it. */
const shortName = (name: string): string => name.replace(/~.*/s, '');

type Info = (id: string) => Rolldown.ModuleInfo | null;

/** By module, the file of a first screen that it belongs to. */
function fileNames(root: string, infoOf: Info): ReadonlyMap<string, string> {
  const entry = join(root, ENTRY);
  const names = new Map([...neededBy([entry], infoOf)].map((id) => [id, SHARED]));
  for (const [page, files] of Object.entries(PAGES)) {
    const screens = files.map((file) => join(root, file));
    for (const id of neededBy(screens, infoOf)) names.set(id, names.has(id) ? SHARED : page);
  }
  // The page begins with a file of its own, whose name changes with each build.
  names.delete(entry);
  return names;
}

/** These modules and what they import at once. */
function neededBy(files: readonly string[], infoOf: Info): ReadonlySet<string> {
  const needed = new Set(files);
  for (const id of needed)
    for (const imported of infoOf(id)?.importedIds ?? []) needed.add(imported);
  return needed;
}

/** Of most texts. A page that finds it only in its styles would draw them twice. */
const FIRST_FONT = 'inter-latin-wght-normal.woff2';

function withFont(page: string, bundle: Rolldown.OutputBundle): string {
  const links = Object.values(bundle)
    .filter((file) => file.type === 'asset' && file.names.includes(FIRST_FONT))
    .map(
      ({ fileName }) =>
        `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${fileName}">`,
    );
  if (links.length !== 1) throw new Error(`Vite made ${links.length} files of ${FIRST_FONT}.`);
  return page.replace('</head>', `  ${links.join('')}\n  </head>`);
}

/** The page of the app once for each of `PAGES`, with the files that its screens need. */
function pagesOf(page: string, bundle: Rolldown.OutputBundle): [fileName: string, page: string][] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  return Object.keys(PAGES).map((name) => {
    const links = chunks
      .filter((file) => file.name === name)
      .flatMap(({ fileName, viteMetadata }) => [
        `<link rel="modulepreload" crossorigin href="/${fileName}">`,
        ...[...(viteMetadata?.importedCss ?? [])].map(
          (style) => `<link rel="stylesheet" crossorigin href="/${style}">`,
        ),
      ]);
    return [`${name}.html`, page.replace('</head>', `  ${links.join('\n    ')}\n  </head>`)];
  });
}

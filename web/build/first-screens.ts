/**
 * A Vite plugin: says which code is in which file. The screens that links open load three, at once: one that all screens
 * have, their own, and what other areas need of theirs. On a slow processor each further file, and each that is found
 * late, costs more than its content. What several of the other areas need is in files of its own, too.
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

const FORMS = 'forms';
/** By page, the name of the file with what other screens need of its code. */
const PARTS: Readonly<Record<string, string>> = { requests: 'parts', 'sign-in': FORMS };

/** A file takes what its modules need, too, unless a file before it has that. */
const FIRST_FILES = [SHARED, ...Object.values(PARTS), ...Object.keys(PAGES)];

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
  const first = FIRST_FILES.map((name, index, { length }): Rolldown.CodeSplittingGroup => ({
    name: (id, graph) => {
      names ??= fileNames(root, (each) => graph.getModuleInfo(each));
      return names.get(id) === name ? name : undefined;
    },
    priority: length - index,
    debugName: name,
  }));
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
            codeSplitting: { groups: [...first, common] },
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
function fileNames(root: string, infoOf: Info) {
  const entry = reach([join(root, ENTRY)], infoOf);
  const names = new Map([...entry.now].map((id) => [id, SHARED]));
  for (const [page, files] of Object.entries(PAGES)) {
    const screens = files.map((file) => join(root, file));
    for (const id of reach(screens, infoOf).now) {
      const other = names.get(id);
      names.set(id, other === undefined || other === page ? page : SHARED);
    }
  }
  // What a screen loads later may load more.
  for (const id of entry.later)
    for (const later of reach([id], infoOf).later) entry.later.add(later);
  for (const screen of entry.later)
    for (const id of reach([screen], infoOf, CALLS).now) {
      if (id.includes(CALLS)) continue;
      const page = names.get(id);
      const parts = page === undefined ? undefined : PARTS[page];
      if (parts === undefined || screen.includes(`/areas/${page}/`)) continue;
      // Of a part that only this page loads later, no other screen needs anything.
      const from = infoOf(screen)?.dynamicImporters.map((importer) => names.get(importer)) ?? [];
      if (from.every((name) => name === page)) continue;
      names.set(id, parts);
    }
  // The page begins with a file of its own, whose name changes with each build.
  names.delete(join(root, ENTRY));
  return names;
}

/** Other screens that draw calls load the file of the queue for that. Those that draw none need nothing of it. */
const CALLS = '/src/shared/call/';

/** The modules that these need at once, and those that they load later. `end`: what has this in its name is not looked into. */
function reach(files: readonly string[], infoOf: Info, end?: string) {
  const now = new Set(files);
  const later = new Set<string>();
  for (const id of now) {
    if (end !== undefined && id.includes(end)) continue;
    const info = infoOf(id);
    for (const imported of info?.importedIds ?? []) now.add(imported);
    for (const imported of info?.dynamicallyImportedIds ?? []) later.add(imported);
  }
  return { now, later };
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
      .filter((file) => file.name === name || file.name === PARTS[name])
      .flatMap(({ fileName, viteMetadata }) => [
        `<link rel="modulepreload" crossorigin href="/${fileName}">`,
        ...[...(viteMetadata?.importedCss ?? [])].map(
          (style) => `<link rel="stylesheet" crossorigin href="/${style}">`,
        ),
      ]);
    return [`${name}.html`, page.replace('</head>', `  ${links.join('\n    ')}\n  </head>`)];
  });
}

/**
 * A Vite plugin: the screens that links open have their code in two files, one of them for all
 * screens, and a page that loads both at once. On a slow processor each further file, and each that
 * is found late, costs more than its content.
 */
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { isFormComponent, ROLLDOWN_RUNTIME } from './library-internals.ts';

const ENTRY = 'src/app/main.tsx';
/** The name of the file with what all screens need. */
const SHARED = 'shared';

/** Of `PAGES`. */
const FORMS_PAGE = 'sign-in';

/** The names of pages, and the screens that each loads. `api/pages/web-app.ts` serves the pages. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  requests: [
    'src/areas/requests/queue/queue-layout.tsx',
    'src/areas/requests/queue/no-request.tsx',
    'src/areas/requests/request/request.tsx',
  ],
  [FORMS_PAGE]: ['src/areas/sign-in/login.tsx'],
};

/**
 * Begins a file. Chromium then compiles all its functions beside the main thread, while the file loads. A first screen
 * calls most of them. The file keeps its name, because its code is the same with and without this line.
 */
const COMPILE_ALL = '//# allFunctionsCalledOnLoad\n';

export function firstScreens(): Plugin {
  let root = '';
  let names: ReadonlyMap<string, string> | undefined;
  // A file takes what its modules need, too, unless a file before it has that.
  const groups = [SHARED, ...Object.keys(PAGES)].map(
    (name, index, { length }): Rolldown.CodeSplittingGroup => ({
      name: (id, graph) => {
        names ??= chunkNames(root, (each) => graph.getModuleInfo(each)?.importedIds ?? []);
        return names.get(id) === name ? name : undefined;
      },
      priority: length - index,
      debugName: name,
    }),
  );
  return {
    name: 'first-screens',
    apply: 'build',
    config: () => ({
      build: {
        cssCodeSplit: false,
        rolldownOptions: { output: { codeSplitting: { groups } } },
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
          if (file.type === 'chunk' && (file.name === SHARED || Object.hasOwn(PAGES, file.name)))
            file.code = COMPILE_ALL + file.code;
        for (const [fileName, source] of pagesOf(String(index.source), bundle))
          this.emitFile({ type: 'asset', fileName, source });
      },
    },
  };
}

/** By module, the file that it belongs to. Others are split as usual. */
function chunkNames(root: string, importsOf: (id: string) => readonly string[]) {
  const reach = (files: readonly string[]) => {
    const found = new Set(files.map((file) => join(root, file)));
    for (const id of found) for (const imported of importsOf(id)) found.add(imported);
    return found;
  };
  const names = new Map([...reach([ENTRY]), ROLLDOWN_RUNTIME].map((id) => [id, SHARED]));
  for (const [page, screens] of Object.entries(PAGES)) {
    for (const id of reach(screens)) {
      const other = names.get(id);
      names.set(id, other === undefined || other === page ? page : SHARED);
    }
  }
  for (const id of names.keys()) if (isFormComponent(id)) names.set(id, FORMS_PAGE);
  // The page begins with a file of its own, whose name changes with each build.
  names.delete(join(root, ENTRY));
  return names;
}

/** The page of the app once for each of `PAGES`. */
function pagesOf(page: string, bundle: Rolldown.OutputBundle): [fileName: string, page: string][] {
  return Object.keys(PAGES).map((name) => {
    const links = Object.values(bundle)
      .filter((file) => file.type === 'chunk' && file.name === name)
      .map(({ fileName }) => `<link rel="modulepreload" crossorigin href="/${fileName}">`);
    return [`${name}.html`, page.replace('</head>', `  ${links.join('\n    ')}\n  </head>`)];
  });
}

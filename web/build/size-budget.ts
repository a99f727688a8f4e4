/** A Vite plugin: fails the build when a screen needs more code or styles to appear than its budget. */
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Kilobytes (1,000 bytes), compressed by gzip. Of the first two, 3.5 are the addresses and the files of all other screens. */
const BUDGETS_KB = [
  { screen: 'queue', module: '/areas/requests/queue/queue-layout.tsx', scripts: 188 },
  { screen: 'request', module: '/areas/requests/request/request.tsx', scripts: 188 },
  { screen: 'sign-in', module: '/areas/sign-in/login.tsx', scripts: 138 },
];
/** Of every other screen, and of every part that a screen loads later. */
const SCRIPTS_KB = 260;
/** Of what a screen loads when someone asks for it: editors of JSON and of one rule, and all text of the guides, to search in. */
const ASKED_FOR_KB: Readonly<Record<string, number>> = {
  'json-editor': 325,
  'search-results': 325,
  'rule-editor': 270,
};
/** Of every screen. */
const STYLES_KB = 25;

export function sizeBudget(): Plugin {
  return {
    name: 'size-budget',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const first = chunks.filter(({ isEntry }) => isEntry);
        const measure = (screen: string, own: Rolldown.OutputChunk, most: number) => {
          const needed = neededBy([...first, own], bundle);
          const [scripts, styles] = [needed.map(({ code }) => code), stylesOf(needed, bundle)].map(
            sizeKb,
          );
          const text = `${screen} needs ${scripts?.toFixed(1)} of ${most} kB of scripts, ${styles?.toFixed(1)} of ${STYLES_KB} of styles`;
          if ((scripts ?? 0) > most || (styles ?? 0) > STYLES_KB)
            this.error(`${text}. Load later what it does not show at first.`);
          this.info(text);
        };
        for (const { screen, module, scripts } of BUDGETS_KB) {
          const own = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
          if (!own)
            this.error(`No chunk holds ${module}. Name the screen's file in ${import.meta.url}.`);
          measure(screen, own, scripts);
        }
        for (const chunk of chunks.filter(({ isDynamicEntry }) => isDynamicEntry))
          measure(chunk.name, chunk, ASKED_FOR_KB[chunk.name] ?? SCRIPTS_KB);
      },
    },
  };
}

const neededBy = (of: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle) => [
  ...new Set(of.flatMap((chunk) => withImports(chunk, bundle))),
];

function stylesOf(chunks: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle) {
  const names = new Set(
    chunks.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]),
  );
  return [...names].flatMap((name) => {
    const file = bundle[name];
    return file?.type === 'asset' ? [file.source] : [];
  });
}

function withImports(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
  seen = new Set<Rolldown.OutputChunk>(),
): Rolldown.OutputChunk[] {
  if (seen.has(chunk)) return [];
  seen.add(chunk);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') withImports(imported, bundle, seen);
  }
  return [...seen];
}

const sizeKb = (texts: readonly (string | Uint8Array)[]): number =>
  texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1_000;

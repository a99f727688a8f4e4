/** A Vite plugin: fails the build when a screen needs more code to appear than its budget. */
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Kilobytes (1,000 bytes), compressed by gzip. */
const BUDGETS_KB = [
  { screen: 'queue', module: '/areas/requests/queue/queue-layout.tsx', scripts: 190 },
  { screen: 'request', module: '/areas/requests/request/request.tsx', scripts: 190 },
  { screen: 'sign-in', module: '/areas/sign-in/login.tsx', scripts: 150 },
];
const STYLES_KB = 25;

export function sizeBudget(): Plugin {
  return {
    name: 'size-budget',
    apply: 'build',
    generateBundle: {
      // Where all styles are one file, it comes last.
      order: 'post',
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const chunks = files.filter((file) => file.type === 'chunk');
        for (const { screen, module, scripts } of BUDGETS_KB) {
          const first = chunks.find(({ isEntry }) => isEntry);
          const own = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
          if (!first || !own)
            this.error(`No chunk holds ${module}. Name the screen's file in ${import.meta.url}.`);
          const needed = new Set([first, own].flatMap((chunk) => withImports(chunk, bundle)));
          const size = sizeKb([...needed].map(({ code }) => code));
          const text = `${screen} needs ${size.toFixed(1)} of ${scripts} kB of scripts`;
          if (size > scripts) this.error(`${text}. Load later what it does not show at first.`);
          this.info(text);
        }
        const styles = files.flatMap((file) =>
          file.type === 'asset' && file.fileName.endsWith('.css') ? [file.source] : [],
        );
        const size = sizeKb(styles);
        if (size > STYLES_KB) this.error(`All styles have ${size.toFixed(1)} of ${STYLES_KB} kB.`);
        this.info(`styles have ${size.toFixed(1)} of ${STYLES_KB} kB`);
      },
    },
  };
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

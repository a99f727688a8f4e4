/**
 * A Vite plugin: pages of `docs/` as modules. `x.md` is a page, `x.md?outline` its title and headings, `x.md?sections` its text for a
 * search.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { guideIdOf } from '../../src/areas/docs/guide-ids.ts';
import { outlineOf, readPage, sectionsOf, type Page } from './markdown.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export function guides(): Plugin {
  return {
    name: 'guides',
    load: {
      filter: { id: /\/docs\/[^?]*\.md(?:\?\w+)?$/ },
      handler(id) {
        const [file = '', part] = id.split('?');
        const path = relative(ROOT, file);
        if (guideIdOf(path) === undefined) return undefined;
        this.addWatchFile(file);
        const page = readPage(readFileSync(file, 'utf8'), path);
        return { code: codeOf(page, { file, part }), moduleType: 'js', map: null };
      },
    },
  };
}

function codeOf(
  page: Page,
  { file, part }: { readonly file: string; readonly part?: string | undefined },
) {
  if (part === 'outline') return `export const outline = ${JSON.stringify(outlineOf(page))};`;
  if (part === 'sections') return `export const sections = ${JSON.stringify(sectionsOf(page))};`;
  const imports = page.pictures.map(
    (path, index) =>
      `import picture${index} from ${JSON.stringify(join(relative(dirname(file), ROOT), path))};`,
  );
  const pictures = page.pictures.map((path, index) => {
    const { width, height } = sizeOf(join(ROOT, path));
    return `{ src: picture${index}, width: ${width}, height: ${height} }`;
  });
  return [
    ...imports,
    `export const guide = { blocks: ${JSON.stringify(page.blocks)}, pictures: [${pictures.join()}] };`,
  ].join('\n');
}

/** Pixels, as the head of every PNG says. A page then keeps the place of a picture that loads. */
function sizeOf(png: string): { readonly width: number; readonly height: number } {
  const head = readFileSync(png).subarray(0, 24);
  if (head.toString('latin1', 12, 16) !== 'IHDR') throw new Error(`${png} is no PNG.`);
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

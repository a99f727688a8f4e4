/** A Vite plugin: the rules of a pipeline in `examples/configuration`, to start from, as the blocks of a document. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { parse } from 'yaml';

export function starterRules(): Plugin {
  return {
    name: 'starter-rules',
    load: {
      filter: { id: /\/examples\/configuration\/pipelines\/[^?]*\.yaml$/ },
      handler(id) {
        this.addWatchFile(id);
        const { blocks } = parse(readFileSync(id, 'utf8')) as { readonly blocks: unknown };
        const code = `export const blocks = ${JSON.stringify(blocks)};`;
        return { code, moduleType: 'js', map: null };
      },
    },
  };
}

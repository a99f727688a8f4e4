/**
 * The documentation site: the documents of this repository, as they are. The order of its pages is the order of the links in
 * docs/README.md, so a new page appears once that page links to it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** A README is the index of its folder. */
const pageOf = (path) => path.replace(/(^|\/)README\.md/, '$1index.md');
const isPage = (path) =>
  /^((README|CHANGELOG|SECURITY|CONTRIBUTING|ARCHITECTURE)\.md|docs\/.*\.md)$/.test(path);

/** The sections of docs/README.md, each with the pages that it links to. */
function sidebar() {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [text = '', ...lines] = section.split('\n');
      const links = [...lines.join('\n').matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)];
      const items = links.map(([, label = '', target = '']) => ({
        text: label.replaceAll('`', ''),
        link: `/${pageOf(relative(root, resolve(root, 'docs', target)))}`,
      }));
      return { text, items };
    })
    .filter(({ items }) => items.length > 0);
}

/** Replaces a link to a file that is not a page, such as a source or an example, by its text. */
function keepLinksInside(md) {
  md.core.ruler.push('links-inside', (state) => {
    for (const token of state.tokens) {
      if (!token.children) continue;
      let isDropped = false;
      token.children = token.children.filter((child) => {
        if (child.type === 'link_close' && isDropped) {
          isDropped = false;
          return false;
        }
        if (child.type !== 'link_open') return true;
        const href = child.attrGet('href') ?? '';
        if (/^([a-z]+:|#|\/)/.test(href)) return true;
        const [path = '', anchor] = href.split('#');
        const target = relative(
          root,
          resolve(
            root,
            dirname(state.env.relativePath.replace(/(^|\/)index\.md$/, '$1README.md')),
            path,
          ),
        );
        if (!existsSync(join(root, target)))
          throw new Error(`${state.env.relativePath} links to ${href}`);
        if (!isPage(target)) {
          isDropped = true;
          return false;
        }
        child.attrSet('href', pageOf(path) + (anchor === undefined ? '' : `#${anchor}`));
        return true;
      });
    }
  });
}

export default defineConfig({
  title: 'Countersign',
  description,
  srcDir: root,
  outDir: join(root, 'dist/docs'),
  cacheDir: join(root, 'node_modules/.cache/docs'),
  srcExclude: [
    '**/node_modules/**',
    'dist/**',
    'test/**',
    'web/**',
    'sdk/**',
    'bench/**',
    'examples/**',
    '.github/**',
    'bin/**',
    'migrations/**',
  ],
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  cleanUrls: true,
  lastUpdated: false,
  markdown: { config: keepLinksInside },
  // Pictures in HTML are named from the root of the repository, without `./`.
  vite: { resolve: { alias: [{ find: /^docs\//, replacement: join(root, 'docs/') }] } },
  themeConfig: {
    nav: [
      { text: 'Quickstart', link: '/docs/quickstart' },
      { text: 'Documentation', link: '/docs/' },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});

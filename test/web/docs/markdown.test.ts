/** Guides are data before they are pages: text stays text, links lead to pages that exist, and nothing is markup. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isWebPage } from '../../../src/domain/web-pages.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { outlineOf, readPage, sectionsOf, type Page } from '../../../web/build/guides/markdown.ts';
import { addressOf, guideIdOf } from '../../../web/src/areas/docs/guide-ids.ts';
import type { Block, Inline } from '../../../web/src/areas/docs/guide-tree.ts';
import {
  findSections,
  marked,
  wordsOf,
  type Searched,
} from '../../../web/src/areas/docs/search/find.ts';
import { DOCUMENTS, readDocument } from '../../docs/documents.ts';

const GUIDES = DOCUMENTS.flatMap((path) => {
  const id = guideIdOf(path);
  return id === undefined ? [] : [{ id, path, page: readPage(readDocument(path), path) }];
});
const pageOf = (id: string): Page => {
  const found = GUIDES.find((guide) => guide.id === id);
  if (!found) throw new Error(`no guide ${id}`);
  return found.page;
};

const read = (markdown: string, path = 'docs/guides/rules.md') =>
  readPage(`# Rules\n\n${markdown}`, path).blocks.slice(1);
const inline = (markdown: string): readonly Inline[] => {
  const [block] = read(markdown);
  return block?.kind === 'paragraph' ? block.parts : [];
};

const inlinesIn = (block: Block): readonly Inline[] => {
  if (block.kind === 'list') return block.items.flat().flatMap(inlinesIn);
  if (block.kind === 'table') return [...block.head, ...block.rows.flat()].flat();
  return 'parts' in block ? block.parts : [];
};

test('what users read is a guide, and what changes the code is not', () => {
  expect(GUIDES.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['', 'quickstart', 'rules', 'gates', 'gates/mcp', 'operations/metrics']),
  );
  expect(guideIdOf('docs/adr/0002-exact-json-as-source-text.md')).toBeUndefined();
  expect(guideIdOf('docs/contributing/tests.md')).toBeUndefined();
  expect(guideIdOf('README.md')).toBeUndefined();
  expect(new Set(GUIDES.map(({ id }) => id)).size).toBe(GUIDES.length);
});

describe.each(GUIDES)('the guide at /docs/$id', ({ id, page }) => {
  test('has an address, and links to guides and headings that exist', () => {
    expect(isWebPage(id === '' ? '/docs' : `/docs/${id}`)).toBe(true);
    const links = page.blocks
      .flatMap(inlinesIn)
      .filter((part) => typeof part !== 'string' && part.kind === 'guide');
    const broken = links.filter(({ guide, anchor }) => {
      const there = GUIDES.find((each) => each.id === guide)?.page;
      const headings = there ? outlineOf(there).headings : [];
      return (
        !there || (anchor !== undefined && !headings.some((heading) => heading.anchor === anchor))
      );
    });
    expect(broken).toEqual([]);
  });

  test('has anchors that are no ids of the frame around it', () => {
    const anchors = outlineOf(page).headings.map(({ anchor }) => anchor);
    expect(anchors.filter((anchor) => ['app', 'content', 'places'].includes(anchor))).toEqual([]);
  });
});

test('the index names every guide', () => {
  const named = new Set(outlineOf(pageOf('')).links.map(({ guide }) => guide));
  expect(GUIDES.map(({ id }) => id).filter((id) => id !== '' && !named.has(id))).toEqual([]);
});

test('the index leaves out what leads to the code alone', () => {
  const of = (path: string) =>
    readPage(
      '# A\n\n- [Rules](guides/rules.md) and [1](adr/a.md)\n- [1](adr/a.md), [2](adr/b.md)\n- Text',
      path,
    ).blocks[1];
  expect(of('docs/README.md')).toMatchObject({
    items: [[{ parts: [{ guide: 'rules' }, ' and ', {}] }], [{}]],
  });
  expect(of('docs/a.md')).toMatchObject({ items: [[{}], [{}], [{}]] });
});

test('the address of a guide is its id, in parts', () => {
  expect(addressOf('')).toEqual({ to: '/docs' });
  expect(addressOf('rules')).toEqual({ to: '/docs/$page', params: { page: 'rules' } });
  expect(addressOf('gates/mcp')).toEqual({
    to: '/docs/$folder/$page',
    params: { folder: 'gates', page: 'mcp' },
  });
});

test('links lead to guides, to this service, to other sites, or name a file of the source', () => {
  expect(
    inline('[a](agents.md#stop) [b](gates/README.md) [c](../quickstart.md) [d](#simulate)'),
  ).toEqual([
    { kind: 'guide', guide: 'agents', anchor: 'stop', parts: ['a'] },
    ' ',
    { kind: 'guide', guide: 'gates', parts: ['b'] },
    ' ',
    { kind: 'guide', guide: 'quickstart', parts: ['c'] },
    ' ',
    { kind: 'guide', guide: 'rules', anchor: 'simulate', parts: ['d'] },
  ]);
  expect(inline('<http://127.0.0.1:8080/api/docs> [x](https://example.com/)')).toEqual([
    { kind: 'link', href: '/api/docs', parts: ['http://127.0.0.1:8080/api/docs'] },
    ' ',
    { kind: 'link', href: 'https://example.com/', parts: ['x'] },
  ]);
  expect(inline('[ADR 2](../adr/0002-exact-json-as-source-text.md)')).toEqual([
    { kind: 'source', path: 'docs/adr/0002-exact-json-as-source-text.md', parts: ['ADR 2'] },
  ]);
  expect(inline('smtp://user:password@mail.example')).toEqual([
    'smtp://user:password@mail.example',
  ]);
});

test.each(['[x](javascript:alert(1))', '[x](http://example.com)', '[x](data:text/html,x)'])(
  '%s stops the build',
  (markdown) => {
    expect(() => read(markdown)).toThrow('only links of https');
  },
);

test.each([
  'Text with <b>markup</b>.',
  '<script>alert(1)</script>',
  '<img src="x" onerror="alert(1)">',
  '<picture><img alt="a" src="b" onload="alert(1)" /></picture>',
  '![inside](../pictures/a.png) of text',
])('HTML is never shown, and stops the build: %s', (markdown) => {
  expect(() => read(markdown)).toThrow('docs/guides/rules.md: pages of the app show no');
});

test('characters that mean something in HTML stay text', () => {
  expect(inline('1 < 2 & `a < b && c`')).toEqual([
    '1 < 2 & ',
    { kind: 'code', text: 'a < b && c' },
  ]);
  expect(() => inline('a&nbsp;b')).toThrow('write the character');
});

test('a picture that differs in the dark has both files', () => {
  const html =
    '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="../pictures/desk-dark.png" />\n' +
    '  <img alt="The queue" src="../pictures/desk-light.png" width="320" />\n</picture>';
  const page = readPage(`# Rules\n\n${html}`, 'docs/guides/rules.md');
  expect(page.blocks[1]).toEqual({
    kind: 'picture',
    alt: 'The queue',
    light: 0,
    dark: 1,
    width: 320,
  });
  expect(page.pictures).toEqual(['docs/pictures/desk-light.png', 'docs/pictures/desk-dark.png']);
});

test('code keeps every character, and the name of its file', () => {
  const source = '```json file=refunds.json\n{ "amount": 1.0 }\n```';
  expect(read(source)).toEqual([
    { kind: 'code', language: 'json', file: 'refunds.json', text: '{ "amount": 1.0 }' },
  ]);
  const shown = GUIDES.flatMap(({ page }) => page.blocks).filter(({ kind }) => kind === 'code');
  expect(shown.length).toBeGreaterThan(100);
});

test('a page without a title, and two headings with one anchor, stop the build', () => {
  expect(() => readPage('Text', 'docs/a.md')).toThrow('docs/a.md: begin with its title');
  expect(() => read('## Same\n\n## Same')).toThrow('two headings have the anchor #same');
});

describe('the search', () => {
  const searched: readonly Searched[] = GUIDES.flatMap(({ id, page }) =>
    sectionsOf(page).map((section) => ({
      ...section,
      guide: id,
      title: outlineOf(page).title,
    })),
  );
  const places = (query: string) =>
    findSections(query, searched).map(({ guide, anchor }) => `${guide}#${anchor}`);

  test('puts the page about a word first', () => {
    expect(places('slack')[0]).toBe('slack#');
    expect(places('quickstart')[0]).toBe('quickstart#');
    expect(places('simulate')[0]).toMatch(/^rules#/);
  });

  test('finds what has all words, in any order and in any case, also in tables', () => {
    const found = places('postgres BACKUP');
    expect(found).toEqual(places('backup postgres'));
    expect(found.length).toBeGreaterThan(0);
    expect(places('COUNTERSIGN_SECRETS_KEY').map((place) => place.split('#')[0])).toContain(
      'operations/configuration',
    );
  });

  test('finds nothing for nothing, and for a word that no page has', () => {
    expect(places('  ')).toEqual([]);
    expect(places('slack xylophone')).toEqual([]);
  });

  test('marks the words, also those that mean something in a pattern', () => {
    expect(marked('Rules (and more) rule', wordsOf('rule ('))).toEqual([
      ...['', 'Rule', 's ', '(', 'and more) ', 'rule', ''],
    ]);
    expect(marked('a.b', wordsOf('.'))).toEqual(['a', '.', 'b']);
  });

  test('shows a part of the text with the first word in it', () => {
    for (const { excerpt, text, heading, title } of findSections('deadline', searched)) {
      expect(excerpt.length).toBeLessThanOrEqual(260);
      if (text.toLowerCase().includes('deadline'))
        expect(excerpt.toLowerCase()).toContain('deadline');
      else expect(`${heading} ${title}`.toLowerCase()).toContain('deadline');
    }
  });
});

test('the build of the app is made again when a guide changes', () => {
  expect(readFileSync(join(packageRoot(), 'bin/build/web.js'), 'utf8')).toContain("'docs'");
});

/** Markdown of `docs/` as data: pages of the app draw it, and none of it is ever markup. */
import { dirname, join, normalize } from 'node:path/posix';
import { Marked, type Token, type Tokens } from 'marked';
import { guideIdOf } from '../../src/areas/docs/guide-ids.ts';
import type { Block, Inline, Outline, Section } from '../../src/areas/docs/guide-tree.ts';

/** A service on the machine of its reader: for a page that it serves, itself. */
const THIS_SERVICE = /^http:\/\/127\.0\.0\.1:8080(?=\/|$)/;

/** Addresses in the middle of text are examples, such as those of a mail server. Links are written as links. */
const marked = new Marked({ tokenizer: { url: () => undefined } });

export interface Page {
  readonly blocks: readonly Block[];
  /** Paths in the repository. Blocks name them by their index. */
  readonly pictures: readonly string[];
}

/** `path`: of the page in the repository, to which its links are relative. */
export function readPage(markdown: string, path: string): Page {
  const reading = { path, pictures: [] as string[], anchors: new Set<string>() };
  const blocks = marked.lexer(markdown).flatMap((token) => blocksOf(token, reading));
  if (blocks[0]?.kind !== 'heading' || blocks[0].level !== 1)
    throw new Error(`${path}: begin with its title, "# …".`);
  return { blocks, pictures: reading.pictures };
}

interface Reading {
  readonly path: string;
  readonly pictures: string[];
  readonly anchors: Set<string>;
}

function blocksOf(token: Token, reading: Reading): Block[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading':
      return [headingOf(token as Tokens.Heading, reading)];
    case 'paragraph':
    case 'text':
      return paragraphOf(token as Tokens.Paragraph, reading);
    case 'code':
      return [codeOf(token as Tokens.Code)];
    case 'list':
      return [listOf(token as Tokens.List, reading)];
    case 'table':
      return [tableOf(token as Tokens.Table, reading)];
    case 'html':
      return htmlOf(token as Tokens.HTML, reading);
    default:
      throw unknown(token, reading);
  }
}

function headingOf({ depth, tokens }: Tokens.Heading, reading: Reading): Block {
  const parts = inlinesOf(tokens, reading);
  const text = plain(parts);
  const anchor = anchorOf(text);
  if (reading.anchors.has(anchor))
    throw new Error(`${reading.path}: two headings have the anchor #${anchor}.`);
  reading.anchors.add(anchor);
  return { kind: 'heading', level: depth, anchor, text, parts };
}

/** As GitHub makes them. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function paragraphOf({ tokens = [] }: Tokens.Paragraph, reading: Reading): Block[] {
  const [only, more] = tokens;
  if (only?.type === 'image' && more === undefined) {
    const { href, text } = only as Tokens.Image;
    return [{ kind: 'picture', alt: text, light: pictureOf(href, reading) }];
  }
  return [{ kind: 'paragraph', parts: inlinesOf(tokens, reading) }];
}

/** Marks after the language are for the tests of documents. One says which file the reader makes. */
function codeOf({ lang = '', text }: Tokens.Code): Block {
  const [language = '', mark = ''] = lang.split(' ');
  const file = /^file=(.+)$/.exec(mark)?.[1];
  return { kind: 'code', language, ...(file !== undefined && { file }), text };
}

function listOf({ ordered, start, items, ...rest }: Tokens.List, reading: Reading): Block {
  if (ordered && start !== 1) throw unknown({ ...rest, type: 'list' }, reading);
  return {
    kind: 'list',
    isOrdered: ordered,
    items: items
      .map(({ tokens }) => tokens.flatMap((token) => blocksOf(token, reading)))
      .filter((blocks) => guideIdOf(reading.path) !== '' || !isOfSource(blocks)),
  };
}

/** The index also leads to documents about the code, which the app does not have. */
function isOfSource(blocks: readonly Block[]): boolean {
  const links = blocks
    .flatMap(inlinesIn)
    .filter((part) => typeof part !== 'string' && ['guide', 'link', 'source'].includes(part.kind));
  return (
    links.length > 0 && links.every((part) => typeof part !== 'string' && part.kind === 'source')
  );
}

function tableOf({ header, rows }: Tokens.Table, reading: Reading): Block {
  const cells = (row: readonly Tokens.TableCell[]) =>
    row.map(({ tokens }) => inlinesOf(tokens, reading));
  return { kind: 'table', head: cells(header), rows: rows.map(cells) };
}

const COMMENT = /^<!--[^]*?-->\s*$/;
const PICTURE =
  /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)" \/>\s*<img alt="([^"]+)" src="([^"]+)"(?: width="(\d+)")? \/>\s*<\/picture>\s*$/;

/** Of HTML, only a picture that differs in the dark is known, in this very form. */
function htmlOf(token: Tokens.HTML, reading: Reading): Block[] {
  if (COMMENT.test(token.raw)) return [];
  const found = PICTURE.exec(token.raw);
  if (!found) throw unknown(token, reading);
  const [, dark = '', alt = '', light = '', width] = found;
  return [
    {
      kind: 'picture',
      alt,
      light: pictureOf(light, reading),
      dark: pictureOf(dark, reading),
      ...(width !== undefined && { width: Number(width) }),
    },
  ];
}

function pictureOf(href: string, { path, pictures }: Reading): number {
  return pictures.push(normalize(join(dirname(path), href))) - 1;
}

const inlinesOf = (tokens: readonly Token[], reading: Reading): Inline[] =>
  tokens.flatMap((token) => inlineOf(token, reading));

function inlineOf(token: Token, reading: Reading): Inline[] {
  switch (token.type) {
    case 'text':
    case 'escape': {
      const { text, tokens } = token as Tokens.Text;
      return tokens ? inlinesOf(tokens, reading) : [withoutBreaks(text, reading)];
    }
    case 'codespan':
      return [{ kind: 'code', text: withoutLines((token as Tokens.Codespan).text) }];
    case 'strong':
    case 'em':
      return [{ kind: token.type, parts: inlinesOf(token.tokens ?? [], reading) }];
    case 'link':
      return [linkOf(token as Tokens.Link, reading)];
    default:
      throw unknown(token, reading);
  }
}

const withoutLines = (text: string): string => text.replaceAll('\n', ' ');

function withoutBreaks(text: string, { path }: Reading): string {
  if (/&\w+;/.test(text)) throw new Error(`${path}: write the character, not an entity: ${text}`);
  return withoutLines(text);
}

function linkOf({ href, tokens }: Tokens.Link, reading: Reading): Inline {
  const parts = inlinesOf(tokens, reading);
  if (THIS_SERVICE.test(href))
    return { kind: 'link', href: href.replace(THIS_SERVICE, '') || '/', parts };
  if (/^https:\/\//.test(href)) return { kind: 'link', href, parts };
  if (/^\w+:/.test(href)) throw new Error(`${reading.path}: only links of https: ${href}`);
  const [file = '', anchor] = href.split('#');
  const path = file === '' ? reading.path : normalize(join(dirname(reading.path), file));
  const guide = guideIdOf(path);
  if (guide === undefined) return { kind: 'source', path, parts };
  return { kind: 'guide', guide, ...(anchor !== undefined && { anchor }), parts };
}

const unknown = (
  { type, raw }: { readonly type: string; readonly raw?: string },
  { path }: Reading,
) => new Error(`${path}: pages of the app show no ${type} like this: ${raw ?? ''}`);

/** Without marks. */
export const plain = (parts: readonly Inline[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return part.kind === 'code' ? part.text : plain(part.parts);
    })
    .join('');

export function outlineOf({ blocks }: Page): Outline {
  const headings = blocks.filter((block) => block.kind === 'heading');
  const links: { section: string; guide: string }[] = [];
  let section = '';
  for (const block of blocks) {
    if (block.kind === 'heading' && block.level > 1) section = block.text;
    for (const part of inlinesIn(block))
      if (typeof part !== 'string' && part.kind === 'guide')
        links.push({ section, guide: part.guide });
  }
  return {
    title: headings[0]?.text ?? '',
    headings: headings.slice(1).map(({ level, anchor, text }) => ({ level, anchor, text })),
    links,
  };
}

function inlinesIn(block: Block): readonly Inline[] {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return block.parts;
    case 'list':
      return block.items.flat().flatMap(inlinesIn);
    case 'table':
      return [...block.head, ...block.rows.flat()].flatMap((cell) => [...cell, ' ']);
    default:
      return [];
  }
}

/** Its text without code blocks, which would make up half of it and say little in words. */
export function sectionsOf({ blocks }: Page): Section[] {
  const sections: { anchor: string; heading: string; text: string }[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading')
      sections.push({
        anchor: block.level === 1 ? '' : block.anchor,
        heading: block.level === 1 ? '' : block.text,
        text: '',
      });
    else {
      const last = sections.at(-1);
      if (last) last.text = `${last.text} ${plain(inlinesIn(block))}`.trim();
    }
  }
  return sections;
}

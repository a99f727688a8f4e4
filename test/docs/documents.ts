/** The documents of the product, and their fenced blocks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.ts';

const root = packageRoot();

/** Everything a newcomer reads, by path. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

export const readDocument = (name: string): string => readFileSync(join(root, name), 'utf8');

export interface Fence {
  /** Line number of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /**
   * The text after the language, such as `answer` or `file=refunds.json`. Empty when there is none.
   */
  readonly mark: string;
  readonly text: string;
}

/** Every fenced block, in order. Throws at an indented fence, which would escape the tests. */
export function fencesOf(markdown: string): Fence[] {
  const found: Fence[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (/^\s+(```|~~~)|^~~~/.test(line))
      throw new Error(`line ${index + 1}: fence blocks by \`\`\` at the margin`);
    if (!line.startsWith('```')) open?.lines.push(line);
    else if (!open) open = { line: index + 1, info: line.slice(3).trim(), lines: [] };
    else {
      const [language = '', ...mark] = open.info.split(' ');
      found.push({ line: open.line, language, mark: mark.join(' '), text: open.lines.join('\n') });
      open = undefined;
    }
  }
  if (open) throw new Error(`line ${open.line}: the block does not end`);
  return found;
}

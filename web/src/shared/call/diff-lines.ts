/** The lines of a change: of a unified diff as it is, or of a text before and after. */
import { diffArrays } from 'diff/lib/diff/array.js';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'header';
  readonly text: string;
}

const HUNK = /^@@ -\d+(?:,(?<old>\d+))? \+\d+(?:,(?<now>\d+))? @@/;

/** What git says about a file before its first hunk. */
const ABOUT_FILE =
  /^(?:index |(?:old|new|deleted file|new file) mode |(?:dis)?similarity index |(?:rename|copy) (?:from|to) |Binary files )/;

/**
 * Inside a hunk every line is content, as its counts say: `--- a` is the removed line `-- a`. After it, only what begins a
 * file or a hunk is a header. Everything else is drawn as content.
 */
export function linesOfUnified(diff: string): DiffLine[] {
  const lines = diff.split('\n');
  const left = { old: 0, now: 0 };
  /** Where the header of a file ends, or how far git may add to it. */
  let headerEnd = 0;
  let isAboutFile = false;
  return lines.map((text, index): DiffLine => {
    if (left.old > 0 || left.now > 0) {
      const line = lineOf(text);
      // `\ No newline at end of file` is no line of either text.
      if (text.startsWith('\\')) return line;
      if (line.kind !== 'added') left.old -= 1;
      if (line.kind !== 'removed') left.now -= 1;
      return line;
    }
    const hunk = HUNK.exec(text)?.groups;
    if (hunk) {
      left.old = Number(hunk['old'] ?? 1);
      left.now = Number(hunk['now'] ?? 1);
    }
    if (beginsFile(lines, index)) headerEnd = index + 2;
    const isGit = text.startsWith('diff --git ');
    isAboutFile = isGit || (isAboutFile && ABOUT_FILE.test(text));
    const isHeader = hunk ?? (index < headerEnd || isAboutFile);
    return isHeader ? { kind: 'header', text } : lineOf(text);
  });
}

/** Two lines with names, and a hunk. */
const beginsFile = (lines: readonly string[], index: number): boolean =>
  lines[index]?.startsWith('--- ') === true &&
  lines[index + 1]?.startsWith('+++ ') === true &&
  HUNK.test(lines[index + 2] ?? '');

function lineOf(text: string): DiffLine {
  if (text.startsWith('+')) return { kind: 'added', text: text.slice(1) };
  if (text.startsWith('-')) return { kind: 'removed', text: text.slice(1) };
  return { kind: 'same', text: text.replace(/^ /, '') };
}

/** With more changes, all old lines come first and all new ones after them, which takes no time. */
const MOST_CHANGES = 2_000;

export function linesBetween(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const parts = diffArrays(old, now, { maxEditLength: MOST_CHANGES }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return parts.flatMap(({ value, added, removed }) => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return value.map((text): DiffLine => ({ kind, text }));
  });
}

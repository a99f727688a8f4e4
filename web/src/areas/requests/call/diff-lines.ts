/** The lines of a change: of a unified diff as it is, or of a text before and after. */
import { diffArrays } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'header';
  readonly text: string;
}

const HUNK = /^@@ -\d+(?:,(?<old>\d+))? \+\d+(?:,(?<now>\d+))? @@/;

/** Inside a hunk, `--- a` is the removed line `-- a`, and not a header. */
export function linesOfUnified(diff: string): DiffLine[] {
  const lines = diff.split('\n');
  const left = { old: 0, now: 0 };
  return lines.map((text, index): DiffLine => {
    const isInside = left.old > 0 || left.now > 0;
    const hunk = HUNK.exec(text)?.groups;
    const isHeader =
      hunk ??
      (/^(?:diff |index )/.test(text) ||
        (text.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ')) ||
        (text.startsWith('+++ ') && lines[index - 1]?.startsWith('--- ')));
    if (!isInside && isHeader) {
      left.old = Number(hunk ? (hunk['old'] ?? 1) : 0);
      left.now = Number(hunk ? (hunk['now'] ?? 1) : 0);
      return { kind: 'header', text };
    }
    const line = lineOf(text);
    if (line.kind !== 'added') left.old -= 1;
    if (line.kind !== 'removed') left.now -= 1;
    return line;
  });
}

function lineOf(text: string): DiffLine {
  if (text.startsWith('+')) return { kind: 'added', text: text.slice(1) };
  if (text.startsWith('-')) return { kind: 'removed', text: text.slice(1) };
  return { kind: 'same', text: text.replace(/^ /, '') };
}

/** With more changes, all old lines come first and all new ones behind them, which takes no time. */
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

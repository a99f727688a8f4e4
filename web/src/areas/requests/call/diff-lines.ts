/** The lines of a change: of a unified diff as it is, or of a text before and after. */
import { diffArrays } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'header';
  readonly text: string;
}

export function linesOfUnified(diff: string): DiffLine[] {
  return diff.split('\n').map((text) => {
    if (/^(?:@@|diff |index |--- |\+\+\+ )/.test(text)) return { kind: 'header', text };
    if (text.startsWith('+')) return { kind: 'added', text: text.slice(1) };
    if (text.startsWith('-')) return { kind: 'removed', text: text.slice(1) };
    return { kind: 'same', text: text.replace(/^ /, '') };
  });
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

/** What warnings say, on pages and in messages. */
import type { Warning } from './warnings.ts';

/** A sentence without its subject: that is the word the warning is about, or the place of a `hidden` one. */
export function warningText(warning: Warning): string {
  switch (warning.kind) {
    case 'hidden':
      return 'contains characters that hide, cover or reorder text.';
    case 'encoded':
      return 'is an encoded name. Programs show other characters for it.';
    case 'signs':
      return 'has signs that look like others, such as a slash or a dot.';
    case 'lookalike':
      return `has ${warning.scripts.join(' and ')} letters that look like Latin ones.`;
    case 'mixed':
      return `mixes ${warning.scripts.join(' and ')} letters that look alike.`;
    case 'digits':
      return warning.scripts.length > 1
        ? `mixes ${warning.scripts.join(' and ')} digits.`
        : `has ${warning.scripts.join()} digits beside letters of another script, or alone.`;
  }
}

/** The title of a presentation, filled from the arguments. Where a value is missing, so are the words that lead to it. */
import type { SourceValue } from '../../platform/json/source-values.ts';

/** Text of the presentation, a value of the arguments, or the place of a hidden one. */
export type TitlePart = string | SourceValue | { readonly kind: 'hidden' };

const PLACEHOLDER = /\{(\/[^{}]*)\}/g;

/** A run of placeholders, which stand for one value where a tool has several names for it, and the text after them. */
interface Slot {
  readonly pointers: readonly string[];
  readonly after: string;
}

export function filledTitle(
  title: string,
  whole: SourceValue,
  hidden: readonly SourceValue[],
): TitlePart[] {
  const { lead, slots } = slotsOf(title);
  const parts: TitlePart[] = [];
  let text = lead;
  for (const { pointers, after } of slots) {
    const values = pointers.flatMap((pointer) => valueAt(pointer, whole, hidden));
    if (values.length === 0) {
      text = withoutGap(text, after, { isFirst: parts.length === 0 });
      continue;
    }
    if (text !== '') parts.push(text);
    parts.push(...values);
    text = after;
  }
  return text.trim() === '' && text !== title ? parts : [...parts, text];
}

function slotsOf(title: string): { readonly lead: string; readonly slots: readonly Slot[] } {
  // The pointers between the braces come at odd places.
  const [lead = '', ...rest] = title.split(PLACEHOLDER);
  const slots: Slot[] = [];
  let pointers: string[] = [];
  for (let index = 0; index < rest.length; index += 2) {
    const after = rest[index + 1] ?? '';
    pointers.push(rest[index] ?? '');
    if (after === '' && index + 2 < rest.length) continue;
    slots.push({ pointers, after });
    pointers = [];
  }
  return { lead, slots };
}

function valueAt(pointer: string, whole: SourceValue, hidden: readonly SourceValue[]): TitlePart[] {
  const value = whole.at(pointer);
  if (!value || value.kind === 'null') return [];
  if (hidden.some((each) => value.overlaps(each))) return [{ kind: 'hidden' }];
  return value.kind === 'string' && value.characters.trim() === '' ? [] : [value];
}

// cspell:disable
/** Words and signs that lead to what follows, in the languages that many titles are written in. */
const LEADS =
  /(?:(?:^|\s+)(?:of|to|from|in|into|on|onto|at|for|with|by|as|via|and|or|the|a|an|von|an|zu|für|mit|auf|aus|bei|nach|über|und|de|du|des|à|au|aux|pour|avec|et|le|la|les|del|al|para|con|por|en|y|el)|[\s:,;=#@([{"'“„‘«–—→-]+)$/iu;
// cspell:enable
/** What belongs to the value before it. */
const UNIT = /^\s?(?:[A-Z]{3}\b|%|\p{Sc})/u;
const CLOSING: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '"': '"',
  "'": "'",
  '“': '”',
  '„': '“',
  '‘': '’',
  '«': '»',
};

/** The text before and after a missing value, as one. */
function withoutGap(
  before: string,
  after: string,
  { isFirst }: { readonly isFirst: boolean },
): string {
  const open = before.trimEnd().at(-1) ?? '';
  const close = CLOSING[open];
  const rest =
    close !== undefined && after.startsWith(close)
      ? after.slice(close.length)
      : after.replace(UNIT, '');
  // Between two values, all of it leads to the second one.
  if (!isFirst) return rest;
  let kept = before;
  for (let end = LEADS.exec(kept); end; end = LEADS.exec(kept)) kept = kept.slice(0, end.index);
  return `${kept}${kept === '' ? rest.trimStart() : /^[\s,.;:!?]/.test(rest) || rest === '' ? rest : ` ${rest}`}`;
}

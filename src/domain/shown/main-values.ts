/** What a reader decides by, with its name. */
import type { SourceValue } from '../../platform/json/source-values.ts';
import type { Hidden } from './hidden.ts';
import type { PresentedField, ShownCall, ShownField } from './shown-call.ts';

export interface MainValue<Field extends ShownField = ShownField> {
  /** Of a presentation, or the source text of a key. */
  readonly label: string;
  /** `source`: an argument without a presentation. */
  readonly kind: Field['kind'] | 'source';
  readonly value: SourceValue;
  /** What of it stays hidden until a reader asks. */
  readonly hidden: Hidden;
}

/** The primary fields, or the first one. An amount has its currency next to it. Without a presentation, the first short value. */
export function mainValuesOf<Field extends ShownField>(
  { presented, hidden }: ShownCall<Field>,
  whole: SourceValue | undefined,
): readonly MainValue<Field>[] {
  if (presented) {
    const open = presented.fields.filter(({ isHidden }) => !isHidden);
    const primary = open.filter(({ field }) => field.role === 'primary');
    const main = primary.length > 0 ? primary : open.slice(0, 1);
    const hasMoney = main.some(({ field }) => field.kind === 'money');
    return open
      .filter((each) => main.includes(each) || (hasMoney && isCurrency(each)))
      .map(({ field: { label, kind }, value }) => ({ label, kind, value, hidden }));
  }
  const first = whole?.members.find(
    ({ value }) => value.size === 0 && value.length <= 80 && !hidden.values.has(value.offset),
  );
  return first ? [{ label: first.keySource, kind: 'source', value: first.value, hidden }] : [];
}

/** An amount means nothing without it, also where a presentation gives it a lower role. */
const isCurrency = ({ field }: PresentedField): boolean => /currency$/i.test(field.path);

/** The amount of money that a call moves, and its currency if it says one. Undefined for a call that shows none. */
export function amountOf(
  { presented, hidden }: ShownCall,
  whole: SourceValue,
): { readonly value: SourceValue; readonly currency: SourceValue | undefined } | undefined {
  const open = presented?.fields.filter(({ isHidden }) => !isHidden) ?? [];
  const amount = presented
    ? open.find(({ field }) => field.kind === 'money')?.value
    : whole.at('/amount');
  if (amount?.kind !== 'number' || amount.isCut || hidden.values.has(amount.offset))
    return undefined;
  const named = presented ? open.find(isCurrency)?.value : whole.at('/currency');
  const isShown = named?.kind === 'string' && !hidden.parts.has(named.offset);
  return {
    value: amount,
    currency: isShown && !hidden.values.has(named.offset) ? named : undefined,
  };
}

/** What a call has, as proposals for fields. Pure. */
import type { Hidden } from '../../../../../src/domain/shown/hidden.ts';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { pointerToken } from '../../../../../src/platform/json/exact-json.ts';
import type { Field } from '../../../shared/call/presented-call.ts';
import type { NewField } from './entry.ts';

export interface Proposal extends NewField {
  /** The beginning of the value, as it was sent. Absent where the page of a request hides it. */
  readonly example?: string;
}

const MOST = 50;
const MOST_DEPTH = 4;
const MOST_COLUMNS = 20;
const EXAMPLE_CHARACTERS = 60;

/** Values of objects in objects; lists as a whole. */
export function proposalsOf(
  whole: SourceValue | undefined,
  { values, parts }: Hidden,
): readonly Proposal[] {
  const found: Proposal[] = [];
  const visit = (value: SourceValue, pointer: string, depth: number) => {
    for (const { key, value: child } of value.members) {
      if (found.length >= MOST) return;
      const at = `${pointer}/${pointerToken(key)}`;
      const isInside = child.kind === 'object' && child.size > 0 && depth < MOST_DEPTH;
      if (isInside) visit(child, at, depth + 1);
      else {
        const isShown = child.size === 0 && !values.has(child.offset) && !parts.has(child.offset);
        const example = isShown && child.source.slice(0, EXAMPLE_CHARACTERS);
        found.push({ ...proposalOf(child, key, at), ...(example !== false && { example }) });
      }
    }
  };
  if (whole?.kind === 'object') visit(whole, '', 1);
  return found;
}

function proposalOf(value: SourceValue, key: string, path: string): Proposal {
  const columns = value.kind === 'array' ? columnsOf(value) : [];
  return {
    path,
    label: labelOf(key),
    kind: kindOf(value, key),
    ...(columns.length > 0 && { item: { fields: columns } }),
  };
}

/** `payment_id` and `paymentId` are `Payment id`. */
export function labelOf(key: string): string {
  const words = key
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replaceAll(/[_\-.\s]+/g, ' ')
    .trim()
    .toLowerCase();
  const label = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return label === '' ? key : [...label].slice(0, 100).join('');
}

const MONEY = /amount|price|total|balance|fee|cost/i;

function kindOf(value: SourceValue, key: string): Field['kind'] {
  if (value.kind === 'number') return MONEY.test(key) ? 'money' : 'number';
  if (value.kind === 'boolean') return 'boolean';
  if (value.kind === 'array') return listKindOf(value);
  return value.kind === 'string' ? textKindOf(value.characters, key) : 'json';
}

function listKindOf({ items }: SourceValue): Field['kind'] {
  if (items.length > 0 && items.every(({ kind }) => kind === 'object')) return 'table';
  return items.some(({ size }) => size > 0) ? 'json' : 'list';
}

function textKindOf(text: string, key: string): Field['kind'] {
  if (/^(?:command|cmd)$/i.test(key)) return 'command';
  if (/^https?:\/\/\S+$/.test(text)) return 'url';
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return 'email';
  if (/^\d{4}-\d\d-\d\dT\S+$/.test(text)) return 'datetime';
  return text.includes('\n') || text.length > 200 ? 'multiline' : 'text';
}

const columnsOf = ({ items: [first] }: SourceValue) =>
  (first?.members ?? []).slice(0, MOST_COLUMNS).map(({ key, value }) => ({
    path: `/${pointerToken(key)}`,
    label: labelOf(key),
    kind: kindOf(value, key),
  }));

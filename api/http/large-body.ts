/** Reads a large body in a thread of the worker pool, and returns only what its endpoint needs. */
import { MAX_ISSUES, AppError, type Issue } from '../../src/domain/errors.ts';
import { JsonText, pointerToken, stringifyExact } from '../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../src/platform/json/exact-values.ts';
import { parseBody, type BodyRules } from './json-body.ts';

export interface LargeBody extends Omit<BodyRules, 'bodyLimit'> {
  readonly text: string;
  /** The members that the endpoint knows. */
  readonly known: readonly string[];
}

/**
 * A value that is passed between threads: the text of a kept part, and an outline that is enough
 * for the schema.
 */
export type Outline =
  | { readonly text: string }
  | { readonly wholeBody: true }
  | { readonly value: unknown }
  | { readonly members: readonly (readonly [name: string, member: Outline])[] };

/** A long list would need much more memory than its text. */
const NOT_AN_OBJECT: Issue = { pointer: '', code: 'invalid_type', message: 'must be an object' };

export type LargeBodyResult = { readonly issues: readonly Issue[] } | { readonly outline: Outline };

export function readLargeBody({ text, known, ...rules }: LargeBody): LargeBodyResult {
  try {
    if (known.length > 0 && !/^\s*\{/.test(text)) return { issues: [NOT_AN_OBJECT] };
    const members = known.length > 0 ? known : undefined;
    const body = parseBody(text, { ...rules, known: members }) as ExactValue | JsonText;
    const { documents = [] } = rules;
    const place = { room: { left: MOST_MEMBERS }, pointer: '', known, documents };
    return { outline: outlineOf(body, place) };
  } catch (error) {
    if (error instanceof AppError) return { issues: (error.details?.['issues'] ?? []) as Issue[] };
    throw error;
  }
}

/** Bodies of this product have far fewer members. */
const MOST_MEMBERS = 1_000;

interface Place {
  /** How many more members the outline may have. */
  readonly room: { left: number };
  readonly pointer: string;
  readonly known: readonly string[];
  readonly documents: readonly string[];
}

/** A list is either invalid anyway or passed on as text. */
function outlineOf(value: ExactValue | JsonText, place: Place): Outline {
  const { pointer, documents } = place;
  if (value instanceof JsonText) return { text: value.text };
  if (typeof value !== 'object' || value === null) return { value };
  if (documents.includes(pointer))
    return pointer === '' ? { wholeBody: true } : { text: stringifyExact(value) };
  if (Array.isArray(value)) return { value: [] };
  if (!isExactObject(value)) return { value: 0 };
  const names = Object.keys(value);
  const isKnown = (name: string): boolean =>
    place.known.includes(name) || documents.includes(`${pointer}/${pointerToken(name)}`);
  const unknown = names.filter((name) => !isKnown(name)).slice(0, MAX_ISSUES);
  const asked = [...names.filter(isKnown), ...unknown].slice(0, place.room.left);
  place.room.left -= asked.length;
  const members = asked.map((name) => {
    const inside = { ...place, pointer: `${pointer}/${pointerToken(name)}`, known: [] };
    return [name, outlineOf(value[name] as ExactValue, inside)] as const;
  });
  return { members };
}

/** The body in the form that its schema expects. */
export function rebuilt(outline: Outline, body: string): unknown {
  if ('wholeBody' in outline) return new JsonText(body);
  if ('text' in outline) return new JsonText(outline.text);
  if ('value' in outline) return outline.value;
  const object = Object.create(null) as Record<string, unknown>;
  for (const [name, member] of outline.members) object[name] = rebuilt(member, body);
  return object;
}

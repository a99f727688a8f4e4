/**
 * Building blocks of document grammars. A grammar says once what a document may contain: it parses
 * documents, yields their types, and describes the API. A document is exact JSON, which zod's own
 * objects would misread.
 */
import { z } from 'zod';
import {
  compareDecimals,
  exactNumber,
  ExactNumber,
  isExactObject,
  isNumber,
  type ExactObject,
  type ExactValue,
} from '../platform/json/exact-values.ts';
import {
  DURATION_PATTERN,
  durationRule,
  boundsRule,
  isDurationWithin,
  type DurationBounds,
} from './durations.ts';
import { MAX_ISSUES, type Issue } from './errors.ts';
import type { IssueCode } from './issue-codes.ts';
import { readBy } from './issues.ts';
import { pointerOf } from './pointers.ts';
import { KEY_PATTERN, KEY_RULE } from './keys.ts';
import { BLANK_RULE, isBlank, isStorable, labelProblem, STORABLE_RULE } from './labels.ts';
import {
  issuesBelow,
  mostItems,
  readAs,
  readInside,
  schemaKind,
  valuesOfMember,
} from './zod-internals.ts';

const StrictObject = schemaKind<z.ZodObject>(
  'StrictObject',
  z.ZodObject,
  ({ inst, own }) =>
    (payload, ctx) => {
      const input = payload.value;
      if (input instanceof ExactNumber) {
        payload.issues.push({ code: 'invalid_type', expected: 'object', input, inst });
        return payload;
      }
      const result = own(payload, ctx);
      if (payload.issues.length > 1) payload.issues.sort((a, b) => rank(a) - rank(b));
      return result;
    },
);

/** Missing members come first, then unknown ones, then problems inside. */
function rank(issue: z.core.$ZodRawIssue): number {
  if (issue.code === 'unrecognized_keys' && !issue.path?.length) return 1;
  const missing = issue.path?.length === 1 && issue.input === undefined && issue.code !== 'custom';
  return missing ? 0 : 2;
}

/** An object with these members and no others. */
export function object<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const def = { type: 'object', shape: shape as z.core.$ZodShape, catchall: z.never() } as const;
  return new StrictObject(def) as z.ZodObject<z.core.util.Writeable<Shape>, z.core.$strict>;
}

const List = schemaKind<z.ZodArray>('List', z.ZodArray, ({ def, own }) => {
  const maximum = mostItems(def.checks);
  return (payload, ctx) => {
    const input = payload.value;
    if (!Array.isArray(input) || input.length > maximum) return own(payload, ctx);
    const items: unknown[] = [];
    for (const [index, value] of input.entries()) {
      const item = readInside(def.element, value, ctx);
      payload.issues.push(...issuesBelow(index, item.issues));
      if (payload.issues.length >= MAX_ISSUES) break;
      items.push(item.value);
    }
    payload.value = items;
    return payload;
  };
});

/**
 * A list. Its items are not read when it is longer than its `.max`, or once there are enough
 * issues.
 */
export function list<Item extends z.core.SomeType>(element: Item) {
  return new List({ type: 'array', element: element as never }) as unknown as z.ZodArray<Item>;
}

type TypedOptions = readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]];

/** Codes for a type that matches no option: for a text, and for anything else. */
interface TypeCodes {
  readonly unknown: IssueCode;
  readonly notText?: IssueCode;
}

interface TypedDef extends z.core.$ZodDiscriminatedUnionDef {
  readonly codes: TypeCodes;
}

const Typed = schemaKind<z.ZodDiscriminatedUnion, TypedDef>(
  'Typed',
  z.ZodDiscriminatedUnion,
  ({ inst, def, own }) => {
    let types: readonly unknown[] | undefined;
    return (payload, ctx) => {
      const input = payload.value;
      if (!isExactObject(input)) {
        payload.issues.push({ code: 'invalid_type', expected: 'object', input, inst });
        return payload;
      }
      const { type } = input;
      types ??= def.options.flatMap((option) => valuesOfMember(option, 'type'));
      if (types.includes(type)) return own(payload, ctx);
      if (type === undefined) payload.issues.push(problem('required', 'is required', ['type']));
      else {
        const { unknown, notText = 'invalid_type' } = def.codes;
        const rule = `must be one of ${types.join(', ')}`;
        payload.issues.push(problem(typeof type === 'string' ? unknown : notText, rule, ['type']));
      }
      return payload;
    };
  },
);

/** One of several objects, by their `type`. */
export function oneOfTypes<const Types extends TypedOptions>(codes: TypeCodes, options: Types) {
  const def = { type: 'union', inclusive: false, discriminator: 'type', options, codes } as const;
  return new Typed(def as never) as unknown as z.ZodDiscriminatedUnion<Types, 'type'>;
}

interface PickedDef extends z.core.$ZodUnionDef {
  readonly pick: (value: ExactObject) => z.core.$ZodType;
}

const Picked = schemaKind<z.ZodUnion, PickedDef>(
  'Picked',
  z.ZodUnion,
  ({ inst, def }) =>
    (payload, ctx) => {
      const input = payload.value;
      if (isExactObject(input)) return readAs(def.pick(input), payload, ctx);
      payload.issues.push({ code: 'invalid_type', expected: 'object', input, inst });
      return payload;
    },
);

/** One of several objects, identified by the members it has. */
export function picked<const Types extends readonly z.core.SomeType[]>(
  options: Types,
  pick: (value: ExactObject) => z.core.$ZodType,
) {
  const def = { type: 'union', options, pick } as const;
  return new Picked(def as never) as unknown as z.ZodUnion<Types>;
}

/** A problem that no shape can describe, for zod's checks. */
export function problem(code: IssueCode, message: string, path: readonly PropertyKey[] = []) {
  return { code: 'custom' as const, params: { code }, message, path: [...path], input: null };
}

/** A string; `wrong` returns its problem, if there is one. */
function string(wrong: (value: string) => string | undefined) {
  return z.string().refine((value) => wrong(value) === undefined, {
    error: ({ input }) => wrong(String(input)),
    abort: true,
  });
}

interface TextRules {
  readonly min?: number;
  readonly max: number;
  readonly pattern?: RegExp;
  /** The allowed values, after "must". */
  readonly rule?: string;
}

/** Lengths are in Unicode characters, as in JSON Schema. */
export function text(description: string, { min = 1, max, pattern, rule }: TextRules) {
  const wrong = (value: string): string | undefined => {
    const length = value.length > max ? [...value].length : value.length;
    if (length < min || length > max || (pattern && !pattern.test(value)))
      return `must ${rule ?? `have ${min} to ${max} characters`}`;
    return isStorable(value) ? undefined : STORABLE_RULE;
  };
  const format = pattern ? { pattern: pattern.source } : { minLength: min, maxLength: max };
  return string(wrong).meta({ description, override: { type: 'string', ...format } });
}

/** Text for people, in one line. */
export function label(description: string, max: number) {
  const wrong = (value: string): string | undefined => {
    const length = value.length > max ? [...value].length : value.length;
    if (length < 1 || length > max) return `must have 1 to ${max} characters`;
    return isStorable(value) ? labelProblem(value) : STORABLE_RULE;
  };
  const override = { type: 'string' as const, minLength: 1, maxLength: max };
  return string(wrong).meta({ description, override });
}

/** A name that another system gave: any text that is not entirely invisible. */
export function foreignName(description: string, max: number) {
  const wrong = (value: string): string | undefined => {
    const length = value.length > max ? [...value].length : value.length;
    if (length > max) return `must have 1 to ${max} characters`;
    if (!isStorable(value)) return STORABLE_RULE;
    return isBlank(value) ? BLANK_RULE : undefined;
  };
  const override = { type: 'string' as const, minLength: 1, maxLength: max };
  return string(wrong).meta({ description, override });
}

/** A slug, the key of a path or the id of a block. */
export function key(description: string) {
  return text(description, { max: 63, pattern: KEY_PATTERN, rule: KEY_RULE });
}

/** A UUID of any version. Capitals make no difference. */
export function guid(description: string) {
  return z.guid({ error: 'must be a UUID' }).toLowerCase().meta({ description });
}

export function integer(
  description: string,
  { min, max }: { readonly min: number; readonly max: number },
) {
  const error = `must be an integer from ${min} to ${max}`;
  const number = z
    .number({ error: ({ input }) => (input === undefined ? undefined : error) })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, { error });
  return z
    .preprocess(
      // `1.0` is an integer, too.
      (value) => (value instanceof ExactNumber ? exactNumber(value.source) : value),
      number,
    )
    .meta({ description, override: { type: 'integer', minimum: min, maximum: max } });
}

/** A number from 0 to 1, with every digit. */
export function share(description: string) {
  const fits = (value: unknown): boolean =>
    isNumber(value as ExactValue) &&
    compareDecimals(value as number, 0) >= 0 &&
    compareDecimals(value as number, 1) <= 0;
  return z
    .custom<number | ExactNumber>(fits, { error: 'must be a number from 0 to 1' })
    .meta({ description, override: { type: 'number', minimum: 0, maximum: 1 } });
}

/** Some of these words, each once. */
export function subset<const Word extends string>(
  description: string,
  words: readonly Word[],
  { min = 0 }: { readonly min?: number } = {},
) {
  return list(z.enum(words))
    .min(min)
    .max(words.length)
    .refine((chosen) => new Set(chosen).size === chosen.length, { error: 'must not repeat a word' })
    .meta({ description, override: { uniqueItems: true } });
}

/** The text of a duration such as `15m`. */
export function duration(description: string, bounds: DurationBounds) {
  const rule = `${durationRule('15m')} ${boundsRule(bounds)}`;
  const wrong = (value: string) => (isDurationWithin(value, bounds) ? undefined : rule);
  const override = { type: 'string' as const, pattern: DURATION_PATTERN };
  return string(wrong).meta({ description, override });
}

/** The value that a schema reads, readonly. Exact values stay unchanged. */
export type ReadAs<S extends z.ZodType> = Immutable<z.output<S>>;

type Immutable<T> = [ExactValue] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** The parsed document, or its problems. */
export type Parsed<Document> =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly issues: readonly Issue[] };

interface Grammar<S extends z.ZodType> {
  readonly schema: S;
  /** Whether the document is small enough to be read at all, checked without reading it. */
  readonly measure: (value: ExactValue, problems: Problems) => void;
  /** Checks of the whole document, after all its parts have passed. */
  readonly check: (document: ReadAs<S>, problems: Problems) => void;
}

/** Problems found so far, with the paths to them. */
export interface Problems {
  readonly issues: Issue[];
  add(path: readonly PropertyKey[], code: IssueCode, message: string): void;
}

/** Reads a document in three steps. Each step sees only documents that passed the step before. */
export function readDocument<S extends z.ZodType>(
  { schema, measure, check }: Grammar<S>,
  value: ExactValue,
): Parsed<ReadAs<S>> {
  const problems = newProblems();
  measure(value, problems);
  if (problems.issues.length > 0) return { ok: false, issues: problems.issues };
  const read = readBy(schema, value);
  if (!read.ok) return read;
  const document = read.value as ReadAs<S>;
  check(document, problems);
  if (problems.issues.length > 0) return { ok: false, issues: problems.issues };
  return { ok: true, document };
}

/** How much may nest: levels, and items in all levels together. */
export interface NestingLimits {
  readonly depth: number;
  readonly items: number;
  /** What the items are, for messages. */
  readonly noun: string;
}

/**
 * Visits the items of nested lists before they are read, as long as they keep the limits. `visit`
 * gets each object with its path and calls `visitList` for the lists in it.
 */
export function newNestingMeasure(
  problems: Problems,
  { depth: deepest, items: most, noun }: NestingLimits,
  visit: (
    item: ExactObject,
    path: PropertyKey[],
    visitInner: (list: ExactValue | undefined, path: PropertyKey[]) => void,
  ) => void,
) {
  let count = 0;
  const visitList = (list: ExactValue | undefined, path: PropertyKey[], depth: number): void => {
    // An empty list adds no level. The grammar refuses a list that is too long.
    if (!Array.isArray(list) || list.length === 0 || list.length > most) return;
    if (depth > deepest) {
      problems.add(path, 'too_deep', `must not nest over ${deepest} levels deep`);
      return;
    }
    const fitted = count <= most;
    count += list.length;
    if (count > most) {
      const rule = `must not bring the document over ${most} ${noun}`;
      if (fitted) problems.add(path, 'too_many', rule);
      return;
    }
    for (const [index, item] of list.entries())
      if (isExactObject(item))
        visit(item, [...path, index], (inner, at) => {
          visitList(inner, at, depth + 1);
        });
  };
  return (list: ExactValue | undefined, path: PropertyKey[]): void => {
    visitList(list, path, 1);
  };
}

function newProblems(): Problems {
  const issues: Issue[] = [];
  return {
    issues,
    add: (path, code, message) => {
      if (issues.length < MAX_ISSUES) issues.push({ pointer: pointerOf(path), code, message });
    },
  };
}

/** Notes an id as taken, and reports a problem when it already was. */
export function takeId(
  id: string,
  { ids, path, problems }: { ids: Set<string>; path: PropertyKey[]; problems: Problems },
): void {
  if (ids.has(id)) problems.add([...path, 'id'], 'duplicate_id', 'must be unique in the document');
  ids.add(id);
}

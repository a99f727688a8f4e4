/**
 * How the calls of a tool are shown to reviewers: a title and fields that point into the arguments.
 * A presentation is a guide for readers. The arguments stay data, and all of them are returned, too.
 */
import { z } from 'zod';
import { foreignName, label, list, object, problem, text } from '../grammar.ts';
import { TOOL_NAME_LENGTH } from './tool-names.ts';
import { hasUnseen, isBlank, BLANK_RULE, UNSEEN_RULE } from '../labels.ts';

/** What a value is, and so how a reader draws it. */
const FIELD_KINDS = [
  'text',
  'multiline',
  'code',
  'diff',
  'list',
  'table',
  'json',
  'number',
  'money',
  'boolean',
  'datetime',
  'duration',
  'url',
  'email',
  'path',
  'command',
] as const;

/** How much a value matters to the decision. */
const FIELD_ROLES = ['primary', 'secondary', 'detail', 'sensitive', 'body'] as const;

export const MOST_PRESENTATIONS = 500;
const MOST_FIELDS = 50;
const MOST_COLUMNS = 20;

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

const pointer = (description: string) =>
  text(description, {
    min: 0,
    max: 500,
    pattern: POINTER,
    rule: 'be a JSON pointer of at most 500 characters, such as /amount',
  });

const fieldLabel = label('What readers call the value.', 100);

const kind = z.enum(FIELD_KINDS).meta({
  description:
    'The kind of value. `multiline`: text of several lines. `code` and `command`: text in a programming language or for a shell. `diff`: a ' +
    'change, either a unified diff at `path` or the values at `before` and `after`. `list`: a list of values, described by `item`. `table`: a ' +
    'list of objects, whose columns are `item.fields`. `json`: any value. `money`: an amount, whose currency is a separate field. ' +
    '`datetime`: RFC 3339. `duration`: such as `30s`, or seconds. `path`: of a file. A value of another type is shown as `json`.',
});

const language = text('Language of `code`, `diff` and `command`, for highlighting.', {
  max: 40,
  pattern: /^[a-z0-9][a-z0-9+#._-]{0,39}$/,
  rule: 'be the name of a language in small letters, such as typescript',
});

const item = object({
  kind: kind.optional(),
  language: language.optional(),
  fields: list(
    object({
      path: pointer('Where the value is in an item.'),
      label: fieldLabel,
      kind,
      language: language.optional(),
    }),
  )
    .max(MOST_COLUMNS)
    .optional()
    .meta({ description: 'The parts of an item, where each is an object.' }),
}).meta({ id: 'PresentationItem', description: 'How each item of a list is shown.' });

const presentationFieldSchema = object({
  path: pointer('JSON pointer into the arguments; empty for all of them.'),
  label: fieldLabel,
  kind,
  language: language.optional(),
  before: pointer('Of a `diff`: where the old text is.').optional(),
  after: pointer('Of a `diff`: where the new text is.').optional(),
  item: item.optional(),
  role: z
    .enum(FIELD_ROLES)
    .optional()
    .meta({
      description:
        '`primary`: decides; `secondary`: helps; `detail`: rarely matters; `sensitive`: is hidden until a reader asks; `body`: is the content, ' +
        'shown last and large. Default: `secondary`.',
    }),
})
  .check(({ value, issues }) => {
    if (value.kind !== 'diff')
      for (const name of ['before', 'after'] as const)
        if (value[name] !== undefined)
          issues.push(problem('invalid_value', 'must be absent unless kind is diff', [name]));
    if (value.item && value.kind !== 'list' && value.kind !== 'table')
      issues.push(
        problem('invalid_value', 'must be absent unless kind is list or table', ['item']),
      );
  })
  .meta({ id: 'PresentationField', description: 'One value of the arguments.' });

const TITLE_RULE =
  'must have JSON pointers between braces, such as {/amount}; each brace before a slash needs its end';
/** In a title. Empty braces are text. */
const PLACEHOLDER = /\{((?:\/[^{}]*)?)\}/g;

/** The pointers in a title. */
export function pointersIn(title: string): readonly string[] {
  return [...title.matchAll(PLACEHOLDER)].flatMap(([, at]) => (at ? [at] : []));
}

function titleProblem(title: string): string | undefined {
  if (title.length < 1 || [...title].length > 300) return 'must have 1 to 300 characters';
  if (isBlank(title)) return BLANK_RULE;
  if (hasUnseen(title)) return UNSEEN_RULE;
  const isSound = pointersIn(title).every((at) => POINTER.test(at));
  return isSound && !title.replaceAll(PLACEHOLDER, '').includes('{/') ? undefined : TITLE_RULE;
}

export const presentationTitle = z
  .string()
  .refine((title) => titleProblem(title) === undefined, {
    error: ({ input }) => titleProblem(String(input)),
  })
  .meta({
    description:
      'Text with placeholders `{/pointer}` into the arguments. A placeholder that points to nothing, null or an empty text is left out, with the words that lead to it.',
    override: { type: 'string', minLength: 1, maxLength: 300 },
  });

export const presentationFields = list(presentationFieldSchema)
  .max(MOST_FIELDS)
  .meta({ description: 'The values to show, in order.' });

/** What an organization says about a tool. */
export const presentationEntrySchema = object({
  tool: foreignName('The exact name of the tool.', TOOL_NAME_LENGTH),
  server: foreignName(
    'Only for calls to this MCP server; absent for calls to any server and for built-in tools.',
    TOOL_NAME_LENGTH,
  ).optional(),
  title: presentationTitle,
  fields: presentationFields,
}).meta({ id: 'ToolPresentationEntry', description: 'How the calls of a tool are shown.' });

export type PresentationEntry = Readonly<z.output<typeof presentationEntrySchema>>;
export type PresentationField = Readonly<z.output<typeof presentationFieldSchema>>;

/** An entry of the organization. */
export interface OwnPresentation extends PresentationEntry {
  readonly id: string;
  /** Counts its changes, from 1. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a request is shown with. */
export interface Presentation {
  readonly source: 'built_in' | 'organization';
  /** Of the organization's entry. */
  readonly id?: string;
  readonly title: string;
  readonly fields: PresentationField[];
}

/** The pointers into the arguments that a presentation's fields have. */
export function fieldPointers(fields: readonly PresentationField[]): readonly string[] {
  return fields.flatMap(({ path, before, after }) =>
    [path, before, after].filter((each) => each !== undefined),
  );
}

/** Without fields, and parts of a diff, that point to nothing. `has`: whether there is something. */
export function presentFields(
  fields: readonly PresentationField[],
  has: (pointer: string) => boolean,
): PresentationField[] {
  return fields
    .filter(({ path }) => has(path))
    .map(({ before, after, ...field }) => ({
      ...field,
      ...(before !== undefined && has(before) && { before }),
      ...(after !== undefined && has(after) && { after }),
    }));
}

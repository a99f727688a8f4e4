/**
 * Building blocks for the schemas of endpoints. Types and formats are those of the specification.
 */
import { z } from 'zod';
import { JsonText } from '../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../src/platform/json/exact-values.ts';
import {
  boundsRule,
  DURATION_PATTERN,
  durationRule,
  isDurationWithin,
  parseDuration,
  type DurationBounds,
} from '../../src/domain/durations.ts';
import { TOOL_NAME_LENGTH } from '../../src/domain/agents/tool-names.ts';
import { BLANK_RULE, isBlank, labelProblem } from '../../src/domain/labels.ts';
import { KEY_PATTERN, KEY_RULE } from '../../src/domain/keys.ts';
import { schemaKind } from '../../src/domain/zod-internals.ts';

/**
 * An id. Capitals make no difference: from here on it is in small letters, as the database writes
 * it.
 */
export const uuid = (description: string) => z.uuid().toLowerCase().meta({ description });

/** The slug of an agent, or the key of a path. */
export const slug = (description: string) =>
  z
    .string()
    .regex(KEY_PATTERN, { error: `must ${KEY_RULE}` })
    .meta({ description });

/** An instant in a response: UTC, RFC 3339, milliseconds, `Z`. */
export const timestamp = (description: string) =>
  z.date().meta({ description, override: { type: 'string', format: 'date-time' } });

/** An instant in a response, or null where its description allows it. */
export const nullableTimestamp = (description: string) =>
  z
    .date()
    .nullable()
    .meta({
      description,
      override: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    });

/** RFC 3339 also writes the year 0, but Postgres reads none: the year before 1 is 1 BC. */
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
/** The last instant that RFC 3339 can write in UTC, because a year has four digits. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * An instant in a request body: RFC 3339 with letters in either case, with any offset, in the years
 * 1 to 9999 of UTC.
 */
export const timestampInput = (description: string) =>
  z
    .string()
    .toUpperCase()
    .pipe(
      z.iso.datetime({
        offset: true,
        error: 'must be an instant with its offset from UTC, such as 2026-03-06T16:30:00Z',
      }),
    )
    .transform((text) => new Date(text))
    .refine((instant) => instant.getTime() >= FIRST_INSTANT && instant.getTime() <= LAST_INSTANT, {
      error: 'must be in the years 0001 to 9999 of UTC',
    })
    .meta({ description, override: { type: 'string', format: 'date-time' } });

/** An optional member of a body in which `null` means that it is absent. */
export const absentIfNull = <S extends z.ZodType>(schema: S) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .meta({ description: schema.description ?? '' });

/** A duration such as `30m`, within bounds. The text itself is kept. */
export const duration = (description: string, bounds: DurationBounds) =>
  z
    .string()
    .refine((text) => isDurationWithin(text, bounds), {
      error: `${durationRule('30m')} ${boundsRule(bounds)}`,
    })
    .meta({
      description,
      override: { type: 'string', pattern: DURATION_PATTERN, examples: ['30m'] },
    });

/**
 * Text for people, in one line: not blank, without invisible characters, at most `max` characters.
 */
export const label = (description: string, max = 200) =>
  z
    .string()
    .max(max)
    .refine((text) => labelProblem(text) === undefined, {
      error: ({ input }) => labelProblem(String(input)),
    })
    .meta({ description, override: { type: 'string', minLength: 1, maxLength: max } });

/** How names that must be unique are compared, for people. */
export const SAME_NAME = 'Case, surrounding white space and Unicode variants make no difference.';

/** A label that is unique among its kind. */
export const uniqueLabel = (description: string) => label(`${description} ${SAME_NAME}`);

const fits = (text: string, max: number): boolean => text.length <= max || [...text].length <= max;

const TOOL_NAME_RULE = { error: `must have 1 to ${TOOL_NAME_LENGTH} characters` };

/** The name of a tool: any text that is not entirely invisible. */
export const toolName = (description: string) =>
  z
    .string()
    .refine((text) => fits(text, TOOL_NAME_LENGTH), TOOL_NAME_RULE)
    .refine((text) => !isBlank(text), { error: BLANK_RULE })
    .meta({ description, override: { type: 'string', minLength: 1, maxLength: TOOL_NAME_LENGTH } });

/** The alias of an MCP server. */
export const serverName = (description: string) =>
  z
    .string()
    .refine((text) => fits(text, TOOL_NAME_LENGTH), {
      error: `must have at most ${TOOL_NAME_LENGTH} characters`,
    })
    .meta({ description, override: { type: 'string', maxLength: TOOL_NAME_LENGTH } });

/**
 * A JSON object kept as its source text. Name it in the endpoint's `exact` list, or print one in an
 * response.
 */
export const exactObject = (description: string) =>
  z
    .custom<JsonText>((value) => value instanceof JsonText && value.text.startsWith('{'), {
      error: 'must be a JSON object',
    })
    .meta({ description, override: { type: 'object', additionalProperties: true } });

/** A JSON string kept as its source text. */
export const exactString = (description: string) =>
  z
    .custom<JsonText>((value) => value instanceof JsonText && value.text.startsWith('"'), {
      error: 'must be a string',
    })
    .meta({ description, override: { type: 'string' } });

const Unread = schemaKind<z.ZodLazy>('Unread', z.ZodLazy, () => (payload) => payload);

/**
 * A value that the domain parses by this grammar. Here it is only described, and passed on
 * unchanged.
 */
export const readByDomain = (grammar: z.ZodType) =>
  new Unread({ type: 'lazy', getter: () => grammar }) as z.ZodType as z.ZodType<
    ExactValue | JsonText
  >;

/** Reading a text of this size takes about two milliseconds. */
const CHECKED_CHARACTERS = 16 * 1024;

const Printed = schemaKind<z.ZodLazy>('Printed', z.ZodLazy, ({ own }) => (payload, ctx) => {
  if (!(payload.value instanceof JsonText)) return own(payload, ctx);
  if (payload.value.text.length > CHECKED_CHARACTERS) return payload;
  payload.value = payload.value.value;
  return own(payload, ctx);
});

/**
 * Part of a stored document, printed as its stored text. A large text is not read again to check an
 * response.
 */
export const printed = (grammar: z.ZodType) =>
  new Printed({ type: 'lazy', getter: () => grammar }) as z.ZodType;

interface IntegerBounds {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

const integerWithin = ({ min, max, default: otherwise }: IntegerBounds) => ({
  type: 'integer' as const,
  minimum: min,
  maximum: max,
  default: otherwise,
});

const wholeNumber = (bounds: IntegerBounds) =>
  z
    .string()
    .regex(/^(0|-?[1-9][0-9]*)$/, { error: 'must be a whole number' })
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, {
      error: `must be from ${bounds.min} to ${bounds.max}`,
    });

/** The text that a person looks for in a list. */
export const searchQuery = (description: string) =>
  z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: `${description} Case does not matter.` });

/** A query parameter that is false when it is absent. */
export const booleanQuery = (description: string) =>
  z
    .string()
    .refine((text) => text === 'true' || text === 'false', { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .default(false)
    .meta({ description, override: { type: 'boolean', default: false } });

/** Query integers arrive as text. */
export const integerQuery = (description: string, bounds: IntegerBounds) =>
  wholeNumber(bounds)
    .default(bounds.default)
    .meta({ description, override: integerWithin(bounds) });

/** The same where it matters whether the caller named one. The handler fills in the default. */
export const optionalIntegerQuery = (description: string, bounds: IntegerBounds) =>
  wholeNumber(bounds)
    .optional()
    .meta({ description, override: integerWithin(bounds) });

/** A page size: 1 to `max`. */
export const limitQuery = (defaultLimit: number, max = 500) =>
  integerQuery('How many entries at most.', { min: 1, max, default: defaultLimit });

export const cursorQuery = () =>
  z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'The `next_cursor` of the page before; same filters.' });

export const nextCursor = () =>
  z
    .string()
    .optional()
    .meta({ description: 'Present when another page follows: pass it as `cursor`.' });

export const waitQuery = (
  what = 'Hold the response until the request is decided, at most this long',
) =>
  z
    .string()
    .refine((text) => parseDuration(text) !== undefined, {
      error: durationRule('30s'),
    })
    .transform((text) => Math.min(parseDuration(text) ?? 0, 30_000))
    .optional()
    .meta({
      description: `${what}; above 30s counts as 30s.`,
      override: { type: 'string', pattern: DURATION_PATTERN, examples: ['30s'] },
    });

export const editionSchema = () =>
  z.enum(['open', 'hosted']).meta({ description: 'The edition of this deployment.' });

export const authContextSchema = z
  .strictObject({
    method: z.string().meta({
      description: 'For example `local_password`, `api_key`, `agent_credential` or `system`.',
    }),
    assurance: z
      .enum(['single_factor', 'strong'])
      .meta({ description: 'How strong the authentication was.' }),
    authenticated_at: timestamp('When the actor authenticated.'),
    session_id: uuid('The session; when a person acted.').optional(),
    credential_id: uuid('The credential; when an agent acted.').optional(),
  })
  .meta({ id: 'AuthContext', description: 'How the actor authenticated.' });

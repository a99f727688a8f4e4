/**
 * The private parts of zod that our schemas use: how a schema reads a value, the most items of a
 * list, and the values that choose an option of a union. `test/domain/zod-internals.test.ts` fails
 * when zod changes them.
 */
import { z } from 'zod';

type Payload = z.core.ParsePayload;
type Context = z.core.ParseContextInternal;
type AnySchema = z.core.$ZodType;

/** Replaces the value of the payload, or adds issues to it. */
type Read = AnySchema['_zod']['parse'];

interface Parts<Schema, Def> {
  readonly inst: Schema;
  readonly def: Def;
  /** How zod itself would read. */
  readonly own: Read;
}

/** A kind of schema like `base`, except for how it reads. */
export function schemaKind<Schema extends z.ZodType, Def = Schema['_zod']['def']>(
  name: string,
  base: { init(inst: Schema, def: never): void },
  reading: (parts: Parts<Schema, Def>) => Read,
): new (def: Def) => Schema {
  return z.core.$constructor<Schema, Def>(name, (inst, def) => {
    base.init(inst, def as never);
    inst._zod.parse = reading({ inst, def, own: inst._zod.parse });
  });
}

/** Reads a value inside the value of `schema`. Our schemas never wait. */
export function readInside(schema: AnySchema, value: unknown, context: Context): Payload {
  return schema._zod.run({ value, issues: [] }, context) as Payload;
}

/** Goes on reading the payload by another schema. */
export const readAs = (schema: AnySchema, payload: Payload, context: Context) =>
  schema._zod.run(payload, context);

/** The issues of a value, as those of the value around it. */
export const issuesBelow = (key: PropertyKey, issues: z.core.$ZodRawIssue[]) =>
  z.core.util.prefixIssues(key, issues);

/** The most items that the checks of a list allow. */
export function mostItems(checks: z.core.$ZodArrayDef['checks']): number {
  const [[maximum] = [Infinity]] = z.core.util.sizeCaps(checks);
  return maximum;
}

/** The values of this member that choose the option of a discriminated union. */
export const valuesOfMember = (option: AnySchema, member: string): readonly unknown[] => [
  ...(option._zod.propValues?.[member] ?? []),
];

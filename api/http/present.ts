/** Turns a value of the domain into the JSON of a response, where the two differ in nothing but the case of their names. */
import { z } from 'zod';
import { memberName } from '../../src/platform/member-names.ts';

type MemberName<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<MemberName<Tail>>}`
  : Name extends string
    ? Name
    : never;

type Value<V> =
  | (V extends readonly (infer Element)[] ? readonly Element[] : V)
  | (undefined extends V ? null : never);

/** What has a member in camel case for each member of the schema. Null is also absent, where the schema makes a member optional. */
type Presentable<S extends z.ZodObject> = {
  readonly [Name in keyof z.input<S> as MemberName<Name>]: Value<z.input<S>[Name]>;
};

/** An optional member must be declared too, so that a new name in the domain is an error here. */
type Declared<S extends z.ZodObject, T> =
  MemberName<keyof z.input<S>> extends keyof T
    ? unknown
    : { readonly [Missing in Exclude<MemberName<keyof z.input<S>>, keyof T>]: unknown };

/** The members the schema names, in its order, and no others. Give a computed member by the side of the thing: `{ ...thing, grants }`. */
export function present<S extends z.ZodObject, T extends Presentable<S>>(
  schema: S,
  thing: T & Declared<S, T>,
): z.input<S> {
  const body: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.shape)) {
    const value = (thing as Readonly<Record<string, unknown>>)[memberName(name)];
    if (value === undefined || (value === null && member instanceof z.ZodOptional)) continue;
    body[name] = value;
  }
  return body as z.input<S>;
}

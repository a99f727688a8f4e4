/** A tool is a thin declaration: which endpoint does it, and how its arguments become those of the endpoint. */
import { z } from 'zod';
import type { InnerCall } from '../http/endpoint.ts';

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** `draft`: it adds a revision that is not in force. `claim`: it changes what the caller has claimed. */
  readonly writes: 'none' | 'draft' | 'claim';
  /** Set where it can make other systems do something. */
  readonly asksOthers?: true;
  readonly edition?: 'hosted';
  /** Every operation that it may call. Rights, refusals and audit events are theirs. */
  readonly operations: readonly string[];
  readonly call: (input: z.output<Input>) => InnerCall;
}

/** Keeps the types of one tool for its declaration. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/**
 * A document or a call, as the text of its JSON: clients read numbers of JSON as doubles, and would change digits. The endpoint
 * parses it.
 */
export const jsonText = (description: string) =>
  z
    .string()
    .min(2)
    .max(256 * 1024)
    .refine((text) => text.trim().startsWith('{') && text.trim().endsWith('}'), {
      error: 'must be the text of a JSON object',
    })
    .describe(`${description} Give the text of its JSON, so that numbers keep every digit.`);

/** The text of an object with these members, and those of further objects given as text. */
export function objectText(
  members: Readonly<Record<string, unknown>>,
  ...objects: readonly (string | undefined)[]
): string {
  const own = JSON.stringify(members).slice(1, -1);
  const others = objects.map((text = '{}') => text.trim().slice(1, -1));
  return `{${[own, ...others].filter((part) => part.trim() !== '').join(',')}}`;
}

/** An object of one member, whose value is given as the text of JSON. */
export const memberText = (name: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `{${JSON.stringify(name)}:${text}}`;

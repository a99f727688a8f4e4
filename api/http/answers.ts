/**
 * Checks answers against their declarations and prints them. Lists may hold many megabytes, so both
 * go item by item and share the event loop.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { mapInTurns, takeTurns } from '../../src/platform/event-loop.ts';
import { isExactObject } from '../../src/platform/json/exact-values.ts';
import { exactPieces } from '../../src/platform/json/exact-json-pieces.ts';

type Issues = readonly z.core.$ZodIssue[];

/** What is wrong with an answer, by its schema. */
export async function answerIssues(schema: z.ZodType, body: unknown): Promise<Issues> {
  if (!(schema instanceof z.ZodObject) || !isExactObject(body)) return issues(schema, body);
  let rest: Readonly<Record<string, unknown>> = body;
  const found: Issues[] = [];
  for (const [name, member] of Object.entries(schema.shape)) {
    const items = rest[name];
    // A list with rules of its own, such as its length, is checked as a whole.
    if (!(member instanceof z.ZodArray) || member.def.checks?.length || !Array.isArray(items))
      continue;
    const item = member.element as z.ZodType;
    found.push(...(await mapInTurns(items, (each: unknown) => issues(item, each))));
    rest = { ...rest, [name]: [] };
  }
  return [issues(schema, rest), ...found].flat();
}

const issues = (schema: z.ZodType, value: unknown): Issues =>
  schema.safeParse(value).error?.issues ?? [];

/** Shorter text is one string. */
const CHUNK_CHARACTERS = 64 * 1024;

/** A printed body: a string, or the chunks of a long one. */
export type PrintedBody = string | readonly Buffer[];

export async function printBody(body: unknown): Promise<PrintedBody> {
  const nextPiece = takeTurns();
  const chunks: Buffer[] = [];
  let text = '';
  for (const piece of exactPieces(body)) {
    text += piece;
    if (text.length < CHUNK_CHARACTERS) continue;
    chunks.push(Buffer.from(text));
    text = '';
    await nextPiece();
  }
  return chunks.length === 0 ? text : [...chunks, Buffer.from(text)];
}

/** Sends chunks no faster than they are read, and in turns, because a quick reader would not let go. */
export function streamOf(chunks: readonly Buffer[]): Readable {
  return Readable.from(inTurns(chunks), { objectMode: false });
}

async function* inTurns(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  const nextChunk = takeTurns();
  for (const chunk of chunks) {
    yield chunk;
    await nextChunk();
  }
}

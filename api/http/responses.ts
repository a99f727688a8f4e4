/**
 * Checks responses against their declarations and prints them. Lists may hold many megabytes, so both
 * go item by item and share the event loop. A long list is read, checked and printed batch by
 * batch, while the response is sent.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { mapYielding, createYielder } from '../../src/platform/event-loop.ts';
import { isExactObject } from '../../src/platform/json/exact-values.ts';
import { bulkhead, Overloaded } from '../../src/platform/bulkhead.ts';
import { exactPieces, laterPieces } from '../../src/platform/json/exact-json-pieces.ts';
import { LongList } from '../../src/platform/long-list.ts';

type Issues = readonly z.core.$ZodIssue[];

/** What is wrong with a response, by its schema. Of long lists, only the beginning is looked at. */
export async function responseIssues(schema: z.ZodType, body: unknown): Promise<Issues> {
  if (!(schema instanceof z.ZodObject) || !isExactObject(body)) return issues(schema, body);
  let rest: Readonly<Record<string, unknown>> = body;
  const found: Issues[] = [];
  for (const [name, member] of Object.entries(schema.shape)) {
    const list = rest[name];
    const items = list instanceof LongList ? list.first : list;
    // A list with its own rules, such as its length, is checked as a whole.
    if (!(member instanceof z.ZodArray) || member.def.checks?.length || !Array.isArray(items))
      continue;
    const item = member.element as z.ZodType;
    found.push(...(await mapYielding(items, (each: unknown) => issues(item, each))));
    rest = { ...rest, [name]: [] };
  }
  return [issues(schema, rest), ...found].flat();
}

const issues = (schema: z.ZodType, value: unknown): Issues =>
  schema.safeParse(value).error?.issues ?? [];

/** How the rest of long lists is read. */
export interface LongReading {
  readonly schema: z.ZodType | undefined;
  readonly caller: string | undefined;
  /** Called with what is wrong with a batch. */
  readonly report: (found: Issues) => void;
}

export interface PrintedBody {
  readonly body: string | Readable;
  /** Absent for a string, and where the rest of a long list is not read yet. */
  readonly length?: number;
  /** Absent for JSON. */
  readonly type?: string;
}

/** Shorter text is one string. */
const CHUNK_CHARACTERS = 64 * 1024;

export async function printBody(body: unknown, reading: LongReading): Promise<PrintedBody> {
  const long = longBody(body, reading);
  if (long) return { body: limited(streamOf(chunksOf(long)), reading.caller) };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(body)) {
    if (chunks.length === 0 && chunk.length < CHUNK_CHARACTERS) return { body: chunk };
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
  }
  return { body: streamOf(inTurns(chunks)), length };
}

/** Texts of about CHUNK_CHARACTERS. The last one is shorter. */
async function* chunksOf(body: unknown): AsyncGenerator<string> {
  const yieldIfDue = createYielder();
  let text = '';
  for (const piece of exactPieces(body)) {
    if (typeof piece === 'string') text += piece;
    else {
      for await (const later of laterPieces(piece)) {
        text += later;
        if (text.length < CHUNK_CHARACTERS) continue;
        yield text;
        text = '';
        await yieldIfDue();
      }
    }
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
    await yieldIfDue();
  }
  if (text !== '') yield text;
}

/** Sends chunks no faster than they are read. */
function streamOf(chunks: AsyncIterable<string | Buffer>): Readable {
  return Readable.from(chunks, { objectMode: false });
}

/** A quick reader would not let go of the event loop. */
async function* inTurns(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  const yieldIfDue = createYielder();
  for (const chunk of chunks) {
    yield chunk;
    await yieldIfDue();
  }
}

/** The body if it has a list with a rest. Each batch of the rest waits for its turn and is checked. */
function longBody(body: unknown, reading: LongReading): unknown {
  if (!isExactObject(body)) return undefined;
  const members = Object.entries(body as Readonly<Record<string, unknown>>);
  if (!members.some(([, member]) => member instanceof LongList && member.rest)) return undefined;
  return Object.fromEntries(
    members.map(([name, member]) =>
      member instanceof LongList && member.rest
        ? [
            name,
            new LongList(
              member.first,
              readRest(member.rest, itemOf(reading.schema, name), reading),
            ),
          ]
        : [name, member],
    ),
  );
}

function itemOf(schema: z.ZodType | undefined, name: string): z.ZodType {
  const list: unknown = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
  return list instanceof z.ZodArray ? (list.element as z.ZodType) : z.never();
}

/**
 * All callers share the event loop. So long lists are read two batches at once, and one caller's
 * one after the other.
 */
const turn = bulkhead({ atOnce: 2, atOnceEach: 1, waiting: Infinity });

/** Unfinished long responses of each caller. Each one holds memory until its client has read it. */
const unfinished = new Map<string, number>();
const UNFINISHED_EACH = 16;

function limited(response: Readable, caller = ''): Readable {
  const before = unfinished.get(caller) ?? 0;
  if (before >= UNFINISHED_EACH) throw new Overloaded('caller');
  unfinished.set(caller, before + 1);
  return response.once('close', () => {
    const left = (unfinished.get(caller) ?? 1) - 1;
    if (left === 0) unfinished.delete(caller);
    else unfinished.set(caller, left);
  });
}

/** Text in chunks, the first of which is read now, so that an error becomes a separate response. */
export async function streamed(
  chunks: AsyncIterable<string>,
  caller: string | undefined,
): Promise<Readable> {
  const reading = chunks[Symbol.asyncIterator]();
  const next = async () => await turn(() => reading.next(), caller);
  const first = await next();
  return limited(
    streamOf(
      (async function* () {
        try {
          for (let chunk = first; !chunk.done; chunk = await next()) yield chunk.value;
        } finally {
          await reading.return?.();
        }
      })(),
    ),
    caller,
  );
}

async function* readRest(
  rest: AsyncIterable<readonly unknown[]>,
  item: z.ZodType,
  { caller, report }: LongReading,
): AsyncGenerator<readonly unknown[]> {
  const batches = rest[Symbol.asyncIterator]();
  for (;;) {
    const batch = await turn(() => batches.next(), caller);
    if (batch.done) return;
    const found = (await mapYielding(batch.value, (each) => issues(item, each))).flat();
    if (found.length > 0) report(found);
    yield batch.value;
  }
}

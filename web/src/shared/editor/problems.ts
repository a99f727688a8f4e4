/** What is wrong with a document, by the place in it. */
import { ExactJsonError, parseExact } from '../../../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../../../src/platform/json/exact-values.ts';
import {
  readBeginning,
  readSource,
  type SourceValue,
} from '../../../../src/platform/json/source-values.ts';
import { ApiError } from '../api/api.ts';
import { editor as words } from '../text/editor.ts';
import { isWithin } from './json-places.ts';

export interface Problem {
  /** RFC 6901, into the document. */
  readonly pointer: string;
  /** A sentence. */
  readonly message: string;
  /** Where the text stops being JSON: the first character that cannot follow. */
  readonly at?: number;
  /** It is said, but the document can be saved with it. */
  readonly isAllowed?: boolean;
}

/** A document that can be read, or why not. */
export type ReadDocument =
  | { readonly source: SourceValue; readonly value: ExactValue; readonly problem?: never }
  | { readonly source?: never; readonly value?: never; readonly problem: Problem };

/** Numbers keep their spelling. */
export function readDocument(text: string): ReadDocument {
  try {
    const value = parseExact(text, { spelled: true });
    const source = readSource(text);
    if (source) return { source, value };
  } catch (error) {
    if (!(error instanceof ExactJsonError)) throw error;
    if (error.code === 'duplicate_key')
      return { problem: { pointer: error.pointer, message: words.duplicateKey } };
    if (error.code === 'too_deep') return { problem: { pointer: '', message: words.tooDeep } };
  }
  const at = malformedAt(text);
  const line = text.slice(0, at).split('\n');
  return {
    problem: {
      ...{ pointer: '', at },
      message: words.malformed(line.length, (line.at(-1)?.length ?? 0) + 1),
    },
  };
}

/** How many characters are the beginning of a JSON text. */
export function malformedAt(text: string): number {
  const isBeginning = (length: number): boolean =>
    text.slice(0, length).trim() === '' || readBeginning(text.slice(0, length)) !== undefined;
  if (isBeginning(text.length)) return text.length;
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** What the service refused in a document that was sent. */
export function refusedPlaces(error: unknown): readonly Problem[] {
  const issues = error instanceof ApiError ? error.details['issues'] : undefined;
  if (!Array.isArray(issues)) return [];
  return (issues as readonly Issue[]).map(({ pointer, message }) => ({
    pointer,
    message: words.refused(message),
  }));
}

/** The problems of a value and of its parts. */
export const problemsWithin = (problems: readonly Problem[], pointer: string): readonly Problem[] =>
  problems.filter((problem) => isWithin(problem.pointer, pointer));

/** What is wrong with the value itself, such as that of a field. */
export const problemAt = (problems: readonly Problem[], pointer: string): string | undefined =>
  problems.find((problem) => problem.pointer === pointer)?.message;

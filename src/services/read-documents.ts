/**
 * Reads the bodies of documents. A large one is read in a thread of the worker pool, which returns
 * a text.
 */
import { callerIdOf, type ProductPrincipal } from '../domain/people/authorization.ts';
import { invalid, type Issue } from '../domain/errors.ts';
import type { Stated } from '../domain/read-back.ts';
import { stringifyExact, type JsonText } from '../platform/json/exact-json.ts';
import type { ExactValue } from '../platform/json/exact-values.ts';
import type { Runtime } from './context.ts';
import { isHeavyDocument } from './heavy-work.ts';

/** A document that was read: the text to store, the names in it, and why it is created. */
export interface ReadDocument<Names> {
  readonly text: string;
  readonly names: Names;
  readonly comment?: string | undefined;
  /** What the body says about the document that it is for. */
  readonly stated?: Stated | undefined;
}

/** How documents are read that are stored: numbers stay as their author wrote them. */
export const SPELLED = { spelled: true } as const;

/** Reads the text of a body. The worker pool exports each reader under its name. */
export type DocumentReader<Names> = (
  body: string,
) => ReadDocument<Names> | { readonly issues: readonly Issue[] };

/** Throws 400 with a pointer for each issue of the body. */
export async function readDocument<Names>(
  { workerPool }: Pick<Runtime, 'workerPool'>,
  principal: ProductPrincipal,
  { reader, body }: { reader: DocumentReader<Names>; body: ExactValue | JsonText },
): Promise<ReadDocument<Names>> {
  const text = stringifyExact(body);
  const read = isHeavyDocument(text)
    ? await workerPool.run(reader, text, callerIdOf(principal))
    : reader(text);
  if ('issues' in read) throw invalid(read.issues);
  return read;
}

/** Ids of the parts of a document, of which no two are the same. */
import { stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { readSource, type SourceValue } from '../../../../src/platform/json/source-values.ts';

/** What a condition compares with is only a value. */
const idsIn = (source: SourceValue | undefined): readonly SourceValue[] =>
  (source?.find((name, kind) => name === 'id' && kind === 'string') ?? []).filter(
    (id) => !id.pointer.includes('/value/'),
  );

export const takenIds = (text: string): Set<string> =>
  new Set(idsIn(readSource(text)).map(({ characters }) => characters));

/** `hint`, or the first of `hint-2`, `hint-3` … that is free. */
export function freeId(taken: ReadonlySet<string>, hint: string): string {
  const base =
    hint
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '')
      .replace(/-+$/, '')
      .slice(0, 48) || 'part';
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

/** Gives a new part ids that the document does not have. */
export function withFreshIds(text: string, part: string): string {
  const taken = takenIds(text);
  let result = part;
  const fresh = idsIn(readSource(part)).map(({ characters, offset, length }) => {
    const id = freeId(taken, characters);
    taken.add(id);
    return { offset, length, id };
  });
  for (const { offset, length, id } of fresh.reverse())
    result = result.slice(0, offset) + stringifyExact(id) + result.slice(offset + length);
  return result;
}

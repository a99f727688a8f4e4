/** What rules are called. */
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { rules as text } from '../text.ts';

export function nameOf(block: ExactValue): string {
  const name = isExactObject(block) ? block['name'] : undefined;
  return typeof name === 'string' && name.trim() !== '' ? name : text.unnamed;
}

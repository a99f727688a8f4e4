/** The tool that a rule is about: its own condition names it, or that of a branch around it. */
import { toolIn } from '../../../shared/conditions/tool-in.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';

export function toolOf(document: ExactValue, block: string): string | undefined {
  const tokens = block.slice(1).split('/');
  let found: string | undefined;
  let value: ExactValue | undefined = document;
  for (const token of tokens) {
    if (Array.isArray(value)) value = value[Number(token)];
    else value = isExactObject(value) ? value[token] : undefined;
    const config = isExactObject(value) ? value['config'] : undefined;
    if (isExactObject(config)) found = toolIn(config['when']) ?? found;
  }
  return found;
}

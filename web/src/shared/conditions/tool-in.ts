/** The tool that a condition is about. */
import { isExactObject, type ExactValue } from '../../../../src/platform/json/exact-values.ts';

/** Only where all requests that match have this tool. */
export function toolIn(condition: ExactValue | undefined): string | undefined {
  if (!isExactObject(condition)) return undefined;
  const { all, field, operator, value } = condition;
  if (Array.isArray(all)) {
    for (const part of all) {
      const tool = toolIn(part);
      if (tool !== undefined) return tool;
    }
    return undefined;
  }
  const isTool = field === '/request/tool' && operator === 'equals';
  return isTool && typeof value === 'string' && value !== '' ? value : undefined;
}

/** Rules that ask no other system: each rule that would ask one decides instead, so that a test ends there. Pure. */
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { withValue } from '../../../shared/editor/splices.ts';
import { blockRows, ruleRows } from '../document/rule-rows.ts';

export interface WithoutSystems {
  readonly text: string;
  /** Ids of the rules that would ask. */
  readonly asking: ReadonlySet<string>;
}

const ASKING = new Set(['webhook', 'llm_judge']);

export function withoutSystems(text: string, document: ExactValue): WithoutSystems {
  const asking = new Set<string>();
  let result = text;
  for (const { value, pointer } of blockRows(ruleRows(document))) {
    if (!isExactObject(value) || value['enabled'] === false) continue;
    const { id, type } = value;
    if (typeof id !== 'string' || typeof type !== 'string' || !ASKING.has(type)) continue;
    asking.add(id);
    const config = { outcome: 'human', reason: 'Asks another system.' };
    const end = { id, name: 'Asks another system', type: 'always', enabled: true, config };
    result = withValue(result, pointer, stringifyExact(end));
  }
  return { text: result, asking };
}

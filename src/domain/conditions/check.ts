/** The limits and rules for all condition trees of one document together. */
import { isExactObject, type ExactValue } from '../../platform/json/exact-values.ts';
import { takeId, type Problems } from '../grammar.ts';
import { FIELD_RULE, type Condition } from './document.ts';
import { operatorOf } from './operators.ts';
import { classWork, compilePattern } from './patterns.ts';
import { CONDITION_LIMITS } from './types.ts';

/** Counts what is limited over all trees of one document. It reads only the skeleton of a tree. */
export function newConditionMeasure(problems: Problems) {
  let leaves = 0;
  const count = (value: ExactValue | undefined, path: PropertyKey[], depth: number): void => {
    if (depth > CONDITION_LIMITS.depth) {
      const rule = `must not nest over ${CONDITION_LIMITS.depth} levels deep`;
      problems.add(path, 'too_deep', rule);
      return;
    }
    if (!isExactObject(value)) return;
    const { all, any, some, every } = value;
    const parts = all ?? any;
    const items = some ?? every;
    if (parts !== undefined) {
      if (!Array.isArray(parts)) return;
      path.push(all === undefined ? 'any' : 'all');
      for (const [index, part] of parts.entries()) {
        path.push(index);
        count(part, path, depth + 1);
        path.pop();
      }
      path.pop();
    } else if (items !== undefined) {
      if (!isExactObject(items) || items['condition'] === undefined) return;
      path.push(some === undefined ? 'every' : 'some', 'condition');
      count(items['condition'], path, depth + 1);
      path.length -= 2;
    } else {
      leaves += 1;
      if (leaves === CONDITION_LIMITS.leavesPerDocument + 1) {
        const rule = `must not bring the document over ${CONDITION_LIMITS.leavesPerDocument} leaves`;
        problems.add(path, 'too_many', rule);
      }
    }
  };
  return (value: ExactValue | undefined, path: readonly PropertyKey[]): void => {
    const before = leaves;
    count(value, [...path], 1);
    if (leaves - before <= CONDITION_LIMITS.leavesPerCondition) return;
    const rule = `must have at most ${CONDITION_LIMITS.leavesPerCondition} leaves`;
    problems.add(path, 'too_many', rule);
  };
}

/**
 * Shared by the trees of one document: ids, also with other ids of the document, and the size of
 * all patterns.
 */
export function newConditionCheck(problems: Problems, ids: Set<string> = new Set()) {
  let work = 0;
  const fits = () => work <= CONDITION_LIMITS.patternWork;
  const checkPattern = (value: ExactValue, path: PropertyKey[]): void => {
    if (!fits()) return;
    if (typeof value === 'string') work += classWork(value);
    try {
      if (fits()) work += compilePattern(value).programSize();
    } catch {
      problems.add(path, 'invalid_pattern', 'must be a regular expression in RE2 syntax');
    }
    if (!fits()) {
      const rule =
        'must not make the regular expressions of the document too large; counted repeats, Unicode classes and wide ranges without regard to case multiply their size';
      problems.add(path, 'too_many', rule);
    }
  };
  const checkField = (name: string, path: PropertyKey[], insideItems: boolean): void => {
    if (!insideItems && /^\/item(\/|$)/.test(name)) problems.add(path, 'invalid_value', FIELD_RULE);
  };
  const check = (condition: Condition, path: PropertyKey[], insideItems: boolean): void => {
    takeId(condition.id, { ids, path, problems });
    if ('all' in condition || 'any' in condition) {
      const [kind, parts] =
        'all' in condition ? (['all', condition.all] as const) : (['any', condition.any] as const);
      for (const [index, part] of parts.entries()) check(part, [...path, kind, index], insideItems);
    } else if ('some' in condition || 'every' in condition) {
      const [kind, items] =
        'some' in condition
          ? (['some', condition.some] as const)
          : (['every', condition.every] as const);
      checkField(items.field, [...path, kind, 'field'], insideItems);
      check(items.condition, [...path, kind, 'condition'], true);
    } else {
      checkField(condition.field, [...path, 'field'], insideItems);
      if (operatorOf(condition.operator).literal === 'pattern' && condition.value !== undefined)
        checkPattern(condition.value, [...path, 'value']);
    }
  };
  return (condition: Condition, path: PropertyKey[]): void => {
    check(condition, path, false);
  };
}

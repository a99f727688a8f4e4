/**
 * Compiles conditions to CEL. The source is generated, never typed: it consists of our own total
 * functions, slots and integers. cel-js sees only slot numbers, never names or values of a request.
 * `some` and `every` give it lists of such records.
 */
import { evaluate } from 'cel-js';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import { isKnownField, parseField, resolveField, type FieldPath } from './fields.ts';
import { applyOperator, costOf, prepareLiteral } from './apply-operator.ts';
import type { PreparedLiteral } from './costs.ts';
import { operatorOf, type ConditionOperator } from './operators.ts';
import { compileWork } from './patterns.ts';
import type { Condition, ItemsCondition, LeafCondition } from './document.ts';
import { filledTree, joinedTree, type SyntaxTree } from './syntax-tree.ts';
import {
  CONDITION_LIMITS,
  ConditionError,
  newEvaluationBudget,
  spend,
  spendOnPatterns,
  type ConditionFacts,
  type EvaluationBudget,
} from './types.ts';

/** The slots of one level: the request itself, or an item of a list. */
interface SlotScope {
  readonly leaves: {
    readonly slot: string;
    readonly path: FieldPath;
    readonly test: PreparedTest;
  }[];
  readonly lists: { readonly slot: string; readonly path: FieldPath; readonly items: SlotScope }[];
}

interface PreparedTest {
  readonly operator: ConditionOperator;
  readonly literal: PreparedLiteral;
}

/** A condition that can be evaluated any number of times. */
export interface CompiledCondition {
  /** The generated CEL. */
  readonly source: string;
  readonly tree: SyntaxTree;
  readonly slots: SlotScope;
  readonly tests: readonly PreparedTest[];
  /** The operators in use, each once: cel-js copies its functions at every evaluation. */
  readonly operators: readonly ConditionOperator[];
}

/** Slots by name: numbers of field values, or lists of such records. No prototype. */
export interface SlotRecord {
  [slot: string]: number | SlotRecord[];
}

/**
 * The input of a CEL engine: slots, and for each operator a function of (slot number, test number).
 */
export interface Binding {
  readonly context: SlotRecord;
  readonly functions: Readonly<Record<string, (slot: number, test: number) => boolean>>;
}

/** 500 leaves at 33 characters each, and their composites. */
const MAX_SOURCE_LENGTH = 65_536;
/** cel-js silently drops what it cannot read, so the source must contain nothing else. */
const GENERATED = /^[a-z0-9_.,()&| ]+$/;

/**
 * Compiles a condition. Throws `ConditionError` for invalid trees, and when its regular expressions
 * may exceed the budget.
 */
export function compileCondition(
  condition: Condition,
  budget: EvaluationBudget = newEvaluationBudget(),
): CompiledCondition {
  try {
    if (budget.patterns < Infinity) spendOnPatterns(budget, patternWork(condition));
    const generator = newGenerator();
    const { source, tree } = generator.generate(condition, {
      slots: generator.slots,
      prefix: '',
      depth: 1,
    });
    if (source.length > MAX_SOURCE_LENGTH || !GENERATED.test(source))
      throw invalid('The condition is too large.');
    const { slots, tests } = generator;
    return {
      source,
      tree,
      slots,
      tests,
      operators: [...new Set(tests.map((test) => test.operator))],
    };
  } catch (error) {
    throw error instanceof ConditionError ? error : invalid('The condition cannot be compiled.');
  }
}

/** At least the work of compiling all regular expressions of a condition. */
function patternWork(condition: Condition): number {
  const all = (parts: readonly Condition[]) =>
    parts.reduce((sum, part) => sum + patternWork(part), 0);
  if ('all' in condition) return all(condition.all);
  if ('any' in condition) return all(condition.any);
  if ('some' in condition) return patternWork(condition.some.condition);
  if ('every' in condition) return patternWork(condition.every.condition);
  const { operator, value } = condition;
  return operatorOf(operator).literal === 'pattern' && typeof value === 'string'
    ? compileWork(value)
    : 0;
}

/**
 * Evaluates a condition. Throws `ConditionError` when the work exceeds the budget or the evaluator
 * fails.
 */
export function evaluateCondition(
  compiled: CompiledCondition,
  facts: ConditionFacts,
  budget: EvaluationBudget = newEvaluationBudget(),
): boolean {
  try {
    const { context, functions } = bindFacts(compiled, facts, budget);
    const match = evaluate(compiled.tree, context, functions);
    if (typeof match === 'boolean') return match;
  } catch (error) {
    if (error instanceof ConditionError) throw error;
  }
  // The evaluator's own message may quote its context, so it is dropped.
  throw new ConditionError('condition_failed', 'The condition could not be evaluated.');
}

/** Resolves every field that a condition can read, and pays for each test before any runs. */
export function bindFacts(
  compiled: CompiledCondition,
  facts: ConditionFacts,
  budget: EvaluationBudget,
): Binding {
  const values: (ExactValue | undefined)[] = [];
  const bind = (scope: SlotScope, item: ExactValue | undefined): SlotRecord => {
    const record = Object.create(null) as SlotRecord;
    for (const { slot, path, test } of scope.leaves) {
      const value = resolveField(path, facts, item);
      spend(budget, costOf(test.operator, value, test.literal));
      record[slot] = values.push(value) - 1;
    }
    for (const { slot, path, items } of scope.lists) {
      spend(budget, 1);
      const list = resolveField(path, facts, item);
      const records: SlotRecord[] = [];
      for (const one of Array.isArray(list) ? list : []) {
        spend(budget, 1);
        records.push(bind(items, one));
      }
      record[slot] = records;
    }
    return record;
  };
  return { context: bind(compiled.slots, undefined), functions: functionsOver(values, compiled) };
}

function functionsOver(
  values: readonly (ExactValue | undefined)[],
  { tests, operators }: CompiledCondition,
): Binding['functions'] {
  const functions: Record<string, (slot: number, test: number) => boolean> = {};
  for (const operator of operators) {
    functions[`op_${operator}`] = (slot, test) =>
      applyOperator(operator, values[slot], tests[test]?.literal ?? { value: null, size: 0 });
  }
  return functions;
}

interface Place {
  readonly slots: SlotScope;
  /** `i3.` inside a list, else empty. */
  readonly prefix: string;
  readonly depth: number;
}

/** CEL source, and its syntax tree in cel-js. */
interface Expression {
  readonly source: string;
  readonly tree: SyntaxTree;
}

const SOME = 'l.exists(i, t)';
/** The first half makes `every` false over an empty or missing list. */
const EVERY = '(l.exists(i, true) && l.all(i, t))';

/** An expression of a template, with its single letters replaced. */
function write(
  template: string,
  filling: Readonly<Record<string, string | Expression>>,
): Expression {
  const trees = Object.entries(filling).map(
    ([name, by]) => [name, typeof by === 'string' ? by : by.tree] as const,
  );
  const source = template.replaceAll(/\b[a-z0]\b/g, (name) => {
    const by = filling[name];
    return typeof by === 'object' ? by.source : (by ?? name);
  });
  return { source, tree: filledTree(template, Object.fromEntries(trees)) };
}

/** Writes CEL for a tree, and collects its slots and tests. */
function newGenerator() {
  const slots: SlotScope = { leaves: [], lists: [] };
  const tests: PreparedTest[] = [];
  let lists = 0;

  const generate = (condition: Condition, place: Place): Expression => {
    if (place.depth > CONDITION_LIMITS.depth) throw invalid('The condition nests too deeply.');
    const inner = { ...place, depth: place.depth + 1 };
    const join = (parts: readonly Condition[], operator: '&&' | '||'): Expression => {
      if (parts.length === 0) throw invalid('A composite condition is empty.');
      const generated = parts.map((part) => generate(part, inner));
      return {
        source: `(${generated.map(({ source }) => source).join(` ${operator} `)})`,
        tree: joinedTree(
          generated.map(({ tree }) => tree),
          operator,
        ),
      };
    };
    if ('all' in condition) return join(condition.all, '&&');
    if ('any' in condition) return join(condition.any, '||');
    if ('some' in condition) return overItems(condition.some, inner, SOME);
    if ('every' in condition) return overItems(condition.every, inner, EVERY);
    return leaf(condition, place);
  };

  const leaf = (
    { field, operator, value }: LeafCondition,
    { slots: scope, prefix }: Place,
  ): Expression => {
    const number = tests.length;
    const test = { operator, literal: prepareLiteral(operator, value) };
    tests.push(test);
    scope.leaves.push({ slot: `f${number}`, path: pathOf(field, prefix !== ''), test });
    const template = `op_${operator}(${prefix === '' ? 'f' : 'i.f'}, 0)`;
    return write(template, { i: prefix.slice(0, -1), f: `f${number}`, 0: String(number) });
  };

  const overItems = (items: ItemsCondition, place: Place, template: string): Expression => {
    const number = lists;
    lists += 1;
    const scope: SlotScope = { leaves: [], lists: [] };
    place.slots.lists.push({
      slot: `l${number}`,
      path: pathOf(items.field, place.prefix !== ''),
      items: scope,
    });
    const item = `i${number}`;
    const test = generate(items.condition, { ...place, slots: scope, prefix: `${item}.` });
    const outer = place.prefix.slice(0, -1);
    const inside = outer === '' ? template : template.replaceAll('l.', 'o.l.');
    return write(inside, { o: outer, l: `l${number}`, i: item, t: test });
  };

  return { slots, tests, generate };
}

function pathOf(field: string, insideItems: boolean): FieldPath {
  const path = parseField(field);
  if (!path || !isKnownField(path, insideItems))
    throw invalid('The condition names an unknown field.');
  return path;
}

function invalid(message: string): ConditionError {
  return new ConditionError('condition_invalid', message);
}

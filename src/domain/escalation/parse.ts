/** Parses documents of escalation paths and team policies, and reports all their problems at once. */
import { isExactObject, type ExactValue } from '../../platform/json/exact-values.ts';
import { newConditionCheck, newConditionMeasure } from '../conditions/check.ts';
import type { Issue } from '../errors.ts';
import { newNestingMeasure, readDocument, takeId, type Parsed, type Problems } from '../grammar.ts';
import { LIMITS, newPathSchema, pathDocumentSchema, policyDocumentSchema } from './document.ts';
import type {
  EscalationDocument,
  EscalationNode,
  EscalationPathDocument,
  PathCondition,
  TeamPolicyDocument,
} from './types.ts';

/** Returns UUIDs in lower case, time zones in their canonical spelling, and defaults for absent members. */
export function parseEscalationPathDocument(value: ExactValue): Parsed<EscalationPathDocument> {
  return readDocument({ schema: pathDocumentSchema, measure, check }, value);
}

/** Parses a document that also contains the key of its path. */
export function parseNewEscalationPath(
  value: ExactValue,
):
  | { readonly ok: false; readonly issues: readonly Issue[] }
  | { readonly ok: true; readonly pathKey: string; readonly document: EscalationPathDocument } {
  const parsed = readDocument({ schema: newPathSchema, measure, check }, value);
  if (!parsed.ok) return parsed;
  const { path_key: pathKey, ...document } = parsed.document;
  return { ok: true, pathKey, document };
}

/** Does not check whether the targets are in the team. */
export function parseTeamPolicyDocument(value: ExactValue): Parsed<TeamPolicyDocument> {
  return readDocument({ schema: policyDocumentSchema, measure, check }, value);
}

/** Limits the number of nodes, their nesting, and the size of their conditions. */
function measure(value: ExactValue, problems: Problems): void {
  const measureCondition = newConditionMeasure(problems);
  const measureConditions = (conditions: ExactValue | undefined, path: PropertyKey[]): void => {
    if (!Array.isArray(conditions) || conditions.length > LIMITS.conditions) return;
    for (const [index, condition] of conditions.entries())
      if (isExactObject(condition)) measureCondition(condition['when'], [...path, index, 'when']);
  };
  const { depth, nodes: items } = LIMITS;
  const measureNodes = newNestingMeasure(
    problems,
    { depth, items, noun: 'nodes' },
    (node, path, measureInner) => {
      measureConditions(node['conditions'], [...path, 'conditions']);
      measureInner(node['then'], [...path, 'then']);
      measureInner(node['else'], [...path, 'else']);
    },
  );
  if (isExactObject(value)) measureNodes(value['nodes'], ['nodes']);
}

/** Checks that ids are unique, and that every named set of working hours exists. */
function check({ working_hours: sets, nodes }: EscalationDocument, problems: Problems): void {
  const checkCondition = newConditionCheck(problems);
  const ids = new Set<string>();
  const setIds = new Set(sets.map(({ id }) => id));
  const checkHours = (one: { working_hours_id: string }, path: PropertyKey[]): void => {
    if (setIds.has(one.working_hours_id)) return;
    const rule = 'must be the id of a set in working_hours';
    problems.add([...path, 'working_hours_id'], 'unknown_working_hours', rule);
  };
  const checkConditions = (conditions: readonly PathCondition[], path: PropertyKey[]): void => {
    for (const [index, condition] of conditions.entries()) {
      const at = [...path, index];
      if (condition.type === 'working_hours') checkHours(condition, at);
      if (condition.type === 'request') checkCondition(condition.when, [...at, 'when']);
    }
  };
  const checkNodes = (list: readonly EscalationNode[], path: PropertyKey[]): void => {
    for (const [index, node] of list.entries()) {
      const at = [...path, index];
      takeId(node.id, { ids, path: at, problems });
      switch (node.type) {
        case 'level':
          break;
        case 'defer':
          checkHours(node, at);
          break;
        case 'if_else':
          checkConditions(node.conditions, [...at, 'conditions']);
          checkNodes(node.then, [...at, 'then']);
          checkNodes(node.else, [...at, 'else']);
          break;
        default:
          node satisfies never;
      }
    }
  };
  checkNodes(nodes, ['nodes']);
}

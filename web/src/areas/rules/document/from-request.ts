/** A rule made from a request: a draft, which people change before it counts. Pure. */
import { JsonText, pointerToken } from '../../../../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import type { Hidden } from '../../../../../src/domain/shown/hidden.ts';
import { rules as text } from '../text.ts';
import { decidesAll } from './rule-rows.ts';

interface RequestToDraftFrom {
  readonly tool: string;
  readonly server?: string | undefined;
  readonly isDenied: boolean;
  readonly arguments: SourceValue;
  /** What stays hidden is in no rule, which others read. */
  readonly hidden: Hidden;
}

export interface DraftedRule {
  readonly block: object;
  /** The arguments that the rule does not look at. */
  readonly untested: readonly string[];
}

/** The rule approves what is like the request, or denies it if the request was denied. */
export function ruleFromRequest(request: RequestToDraftFrom): DraftedRule {
  const { tool, server, isDenied } = request;
  const found = testsOf(request);
  const tests = [
    { id: 'tool', field: '/request/tool', operator: 'equals', value: tool },
    ...(server === undefined
      ? []
      : [{ id: 'server', field: '/request/server', operator: 'equals', value: server }]),
    ...found.tests.slice(0, MOST_TESTS),
  ];
  const left = found.tests.slice(MOST_TESTS).map(({ id }) => id);
  return {
    block: {
      ...{ id: tool, name: text.like(tool), type: 'cel', enabled: true },
      config: {
        when: tests.length === 1 ? tests[0] : { id: 'all', all: tests },
        on_match: isDenied ? 'deny' : 'approve',
        reason: isDenied ? text.likeDenied : text.likeApproved,
      },
    },
    untested: [...new Set([...found.untested, ...left])],
  };
}

const MOST_TESTS = 12;
const MOST_LEVELS = 3;
const MOST_CHARACTERS = 200;
const MOST_ITEMS = 10;

/** A part of a condition. */
interface Test {
  readonly id: string;
  readonly [member: string]: unknown;
}

interface Found {
  readonly tests: readonly Test[];
  readonly untested: readonly string[];
}

interface At {
  readonly key: string;
  readonly field: string;
  /** How many objects are around it. */
  readonly level: number;
}

const joined = (parts: readonly Found[]): Found => ({
  tests: parts.flatMap(({ tests }) => tests),
  untested: parts.flatMap(({ untested }) => untested),
});

const testsOf = ({ arguments: given, hidden, isDenied }: RequestToDraftFrom): Found => {
  const visit = (value: SourceValue, { key, field, level }: At): Found => {
    const none: Found = { tests: [], untested: [key] };
    if (hidden.values.has(value.offset) || hidden.parts.has(value.offset)) return none;
    if (value.kind === 'object') {
      if (level > MOST_LEVELS) return none;
      return joined(
        value.members.map((member) =>
          visit(member.value, {
            key: member.key,
            field: `${field}/${pointerToken(member.key)}`,
            level: level + 1,
          }),
        ),
      );
    }
    const isOfOneCall = namesOneCall(key, value);
    const tests = isOfOneCall ? [] : testsOfValue(value, { key, field, isDenied, hidden });
    return tests.length === 0 ? none : { tests, untested: [] };
  };
  return visit(given, { key: '', field: '/request/arguments', level: 0 });
};

interface Place {
  readonly key: string;
  readonly field: string;
  readonly isDenied: boolean;
  readonly hidden: Hidden;
}

function testsOfValue(
  value: SourceValue,
  { key, field, isDenied, hidden }: Place,
): readonly Test[] {
  const is = { id: key, field, operator: 'equals', value: new JsonText(value.source) };
  switch (value.kind) {
    case 'number': {
      // A limit of nothing means nothing.
      if (!/[1-9]/.test(value.source.replace(/e.*$/i, '')) || value.source.startsWith('-'))
        return [is];
      if (isDenied) return [{ ...is, id: `${key}-from`, operator: 'greater_than_or_equal' }];
      return [
        { ...is, id: `${key}-above-0`, operator: 'greater_than', value: 0 },
        { ...is, id: `${key}-limit`, operator: 'less_than_or_equal' },
      ];
    }
    case 'string':
      return value.characters.length <= MOST_CHARACTERS ? [is] : [];
    case 'array': {
      const { items } = value;
      const areShort = items.every(
        (item) =>
          item.kind === 'string' &&
          item.characters.length <= MOST_CHARACTERS &&
          !hidden.values.has(item.offset) &&
          !hidden.parts.has(item.offset),
      );
      if (items.length === 0 || items.length > MOST_ITEMS || !areShort) return [];
      const condition = { ...is, id: `${key}-item`, field: '/item', operator: 'in' };
      return [{ id: key, [isDenied ? 'some' : 'every']: { field, condition } }];
    }
    case 'boolean':
      return [is];
    case 'null':
    case 'object':
      return [];
  }
}

/** Keys of what differs in each call, and of words that are only read. */
const ONE_CALL = /(?:^|[_.-])(?:id|uuid|guid|key|ref|reference|number|timestamp|date|time)$/i;
const ONE_CALL_CAMEL = /[a-z](?:Id|Uuid|Ref|Reference|Number|Date|At)$|_at$/;
const WORDS =
  /(?:^|_)(?:reason|comment|message|body|notes?|description|subject|summary|text|content|title)$/i;
const UNLIKE_ANY_OTHER = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d{2}-\d{2}.*)$|\d{6}/i;

/** A rule that tested this would match this one call. */
function namesOneCall(key: string, value: SourceValue): boolean {
  if (ONE_CALL.test(key) || ONE_CALL_CAMEL.test(key)) return true;
  if (value.kind !== 'string') return false;
  return WORDS.test(key) || UNLIKE_ANY_OTHER.test(value.characters);
}

/** At the end of the rules, or before the first one that decides every request. */
export function placeOfNewRule(document: ExactValue): number {
  const blocks = isExactObject(document) ? document['blocks'] : undefined;
  if (!Array.isArray(blocks)) return 0;
  const first = blocks.findIndex(decidesAll);
  return first === -1 ? blocks.length : first;
}

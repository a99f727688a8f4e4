/**
 * The fields that the arguments of past calls had, as conditions name them: where, of which types, and how often. Hidden values
 * leave no example. The work for a call grows with its length alone, and there is a most of fields, since names can be data.
 */
import { readSource, type SourceValue } from '../../platform/json/source-values.ts';
import { isField } from '../conditions/document.ts';
import { hiddenOf, type Hidden } from '../shown/hidden.ts';
import { hiddenValuesOf, type HowToShow } from '../shown/shown-call.ts';
import { inlineText, ownLength } from '../shown/value-text.ts';

type Kind = SourceValue['kind'];

/** `isWhole`: the text is the JSON that was sent. Otherwise it is for people: shortened, or without its hidden parts. */
export interface SeenExample {
  readonly isWhole: boolean;
  readonly text: string;
}

export interface SeenField {
  /** The lists that it is in, outermost first: one `some` or `every` for each. */
  readonly lists: readonly string[];
  /** From the facts of a request, or from the item of the innermost list. */
  readonly pointer: string;
  readonly types: readonly Kind[];
  /** How many calls have it. */
  readonly count: number;
  readonly examples: readonly SeenExample[];
  /** Its value is hidden in a call. */
  readonly isHidden: boolean;
}

/** A field, with those inside it. */
interface SeenNode {
  readonly pointer: string;
  readonly types: Set<Kind>;
  readonly examples: SeenExample[];
  readonly members: Map<string, SeenNode>;
  /** All items of a list. */
  item?: SeenNode;
  isHidden: boolean;
  count: number;
  /** Number of the last call that has it. */
  lastCall: number;
}

/** What was seen so far. Threads take it and return it. */
export interface SeenArguments {
  readonly arguments: SeenNode;
  calls: number;
  fields: number;
  /** There are further fields, which are not counted. */
  isFull: boolean;
}

export interface CallsToTally {
  readonly seen: SeenArguments;
  /** The arguments of calls, newest first, and which one of `hows` says how to show them. */
  readonly calls: readonly { readonly text: string; readonly how: number }[];
  readonly hows: readonly HowToShow[];
}

const MOST_TALLIED = 1_000;
const MOST_EXAMPLES = 2;
const EXAMPLE_CHARACTERS = 80;

export const nothingSeen = (): SeenArguments => ({
  ...{ arguments: newNode('/request/arguments'), calls: 0, fields: 0, isFull: false },
});

const newNode = (pointer: string): SeenNode => ({
  ...{ pointer, types: new Set(), examples: [], members: new Map() },
  ...{ isHidden: false, count: 0, lastCall: 0 },
});

/** Adds the fields of calls. The worker pool runs it. */
export function tallyCalls({ seen, calls, hows }: CallsToTally): SeenArguments {
  for (const { text, how } of calls) {
    const whole = readSource(text);
    const shownBy = hows[how];
    if (!whole || !shownBy) continue;
    seen.calls += 1;
    const { values, texts } = hiddenValuesOf(whole, shownBy);
    visitChildren(whole, seen.arguments, { seen, hidden: hiddenOf(values, texts) });
  }
  return seen;
}

interface Reading {
  readonly seen: SeenArguments;
  readonly hidden: Hidden;
}

function visitChildren(container: SourceValue, node: SeenNode, reading: Reading): void {
  const { seen } = reading;
  if (container.kind === 'array') {
    if (container.size > 0 && !node.item) {
      const item = addNode('/item', seen);
      if (!item) return;
      node.item = item;
    }
    if (node.item) for (const { value } of container.children()) visit(value, node.item, reading);
    return;
  }
  for (const { key, value } of container.members) {
    const token = key.replaceAll('~', '~0').replaceAll('/', '~1');
    const member = node.members.get(key) ?? addNode(`${node.pointer}/${token}`, seen);
    if (!member) continue;
    node.members.set(key, member);
    visit(value, member, reading);
  }
}

/** Undefined for a field that no condition can name, and for one too many. */
function addNode(pointer: string, seen: SeenArguments): SeenNode | undefined {
  seen.isFull ||= seen.fields >= MOST_TALLIED;
  if (seen.isFull || !isField(pointer)) return undefined;
  seen.fields += 1;
  return newNode(pointer);
}

function visit(value: SourceValue, node: SeenNode, { seen, hidden }: Reading): void {
  if (node.lastCall !== seen.calls) node.count += 1;
  node.lastCall = seen.calls;
  node.types.add(value.kind);
  if (hidden.values.has(value.offset)) node.isHidden = true;
  else if (value.kind === 'object' || value.kind === 'array')
    visitChildren(value, node, { seen, hidden });
  else if (value.kind !== 'null') addExample(node, value, hidden);
}

function addExample({ examples }: SeenNode, value: SourceValue, hidden: Hidden): void {
  if (examples.length >= MOST_EXAMPLES) return;
  const isWhole = value.length <= EXAMPLE_CHARACTERS && !hidden.parts.has(value.offset);
  const room = { most: EXAMPLE_CHARACTERS, lengthOf: ownLength };
  const text = isWhole ? value.source : inlineText(value, hidden, room);
  if (!examples.some((each) => each.text === text && each.isWhole === isWhole))
    examples.push({ isWhole, text });
}

/** The most frequent fields first. Equally frequent ones keep the order of the calls. */
export function mostSeen(seen: SeenArguments, most: number): readonly SeenField[] {
  const fields = [...fieldsBelow(seen.arguments, [])];
  return fields.toSorted((one, other) => other.count - one.count).slice(0, most);
}

function* fieldsBelow(node: SeenNode, lists: readonly string[]): Generator<SeenField> {
  for (const member of node.members.values()) yield* fieldsFrom(member, lists);
  if (node.item) yield* fieldsFrom(node.item, [...lists, node.pointer]);
}

function* fieldsFrom(node: SeenNode, lists: readonly string[]): Generator<SeenField> {
  const { pointer, types, count, examples, isHidden } = node;
  yield { lists, pointer, types: [...types], count, examples, isHidden };
  yield* fieldsBelow(node, lists);
}

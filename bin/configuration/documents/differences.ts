/** What differs between two documents. Numbers in conditions count by their spelling, all others by their value. */
import { stringifyExact } from '../../../src/platform/json/exact-json.ts';
import {
  exactEquals,
  ExactNumber,
  isExactObject,
  isNumber,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';

/** A place as people read it, such as `blocks[large-refunds].config.reason`. Absent: there is no such value. */
export interface Difference {
  readonly at: string;
  readonly before?: string;
  readonly after?: string;
}

const SHOWN = 200;

/** Without an object's order of members, which means nothing. */
export function differencesOf(before: ExactValue, after: ExactValue): Difference[] {
  const found: Difference[] = [];
  compare(before, after, { at: '', found, spelled: false });
  return found;
}

interface Comparing {
  readonly at: string;
  readonly found: Difference[];
  /** Inside of the value of a condition. */
  readonly spelled: boolean;
}

function compare(before: ExactValue, after: ExactValue, on: Comparing): void {
  if (isExactObject(before) && isExactObject(after)) {
    const isCondition = 'operator' in before || 'operator' in after;
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      member(before[name], after[name], {
        ...on,
        at: on.at === '' ? name : `${on.at}.${name}`,
        spelled: on.spelled || (isCondition && name === 'value'),
      });
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && !on.spelled) {
    lists(before, after, on);
    return;
  }
  if (!same(before, after, on.spelled))
    on.found.push({ at: on.at, before: shown(before), after: shown(after) });
}

function member(
  before: ExactValue | undefined,
  after: ExactValue | undefined,
  on: Comparing,
): void {
  if (before === undefined && after === undefined) return;
  if (before === undefined) on.found.push({ at: on.at, after: shown(after ?? null) });
  else if (after === undefined) on.found.push({ at: on.at, before: shown(before) });
  else compare(before, after, on);
}

/** Items with ids are compared by their ids, so that a new rule is one difference. */
function lists(before: readonly ExactValue[], after: readonly ExactValue[], on: Comparing): void {
  const old = byId(before);
  const now = byId(after);
  if (!old || !now) {
    for (let index = 0; index < Math.max(before.length, after.length); index += 1)
      member(before[index], after[index], { ...on, at: `${on.at}[${String(index)}]` });
    return;
  }
  for (const id of new Set([...old.keys(), ...now.keys()]))
    member(old.get(id), now.get(id), { ...on, at: `${on.at}[${id}]` });
  const kept = [...now.keys()].filter((id) => old.has(id));
  const order = [...old.keys()].filter((id) => now.has(id));
  if (kept.join('\n') !== order.join('\n'))
    on.found.push({ at: `${on.at} (order)`, before: order.join(', '), after: kept.join(', ') });
}

function byId(items: readonly ExactValue[]): ReadonlyMap<string, ExactValue> | undefined {
  const found = new Map<string, ExactValue>();
  for (const item of items) {
    const id = isExactObject(item) ? item['id'] : undefined;
    if (typeof id !== 'string' || found.has(id)) return undefined;
    found.set(id, item);
  }
  return found;
}

function same(a: ExactValue, b: ExactValue, spelled: boolean): boolean {
  if (!exactEquals(a, b)) return false;
  return !spelled || sourceOf(a) === sourceOf(b);
}

/** One text per spelling of a value, without the order of members. */
function sourceOf(value: ExactValue): string {
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(',')}]`;
  if (isExactObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${sourceOf(value[key] ?? null)}`)
      .join(',')}}`;
  if (isNumber(value)) return value instanceof ExactNumber ? value.source : String(value);
  return stringifyExact(value);
}

function shown(value: ExactValue): string {
  const text = stringifyExact(value);
  return text.length <= SHOWN
    ? text
    : `${text.slice(0, SHOWN)}… (${String(text.length)} characters)`;
}

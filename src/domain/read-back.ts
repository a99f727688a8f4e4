/** A revision as it was read can be posted back: what the service added to it is taken off again. */
import { isExactObject, type ExactObject, type ExactValue } from '../platform/json/exact-values.ts';
import type { Issue } from './errors.ts';

/** What says how a revision came about. It is never compared: the new revision has its own. */
export const HISTORY_MEMBERS = [
  'id',
  'revision',
  'is_active',
  'created_by_actor_id',
  'created_by',
  'created_at',
  'activated_by',
  'activated_at',
  'archived_at',
  'warnings',
] as const;

/** What a body states about the document that it belongs to. */
export type Stated = Readonly<Record<string, ExactValue>>;

/** Takes what the service adds off a body. `stated` has the members named by `identity`. */
export function takeReadBack(
  body: ExactValue,
  identity: readonly string[],
): { readonly document: ExactValue; readonly stated: Stated } {
  const stated = Object.create(null) as ExactObject;
  if (!isExactObject(body)) return { document: body, stated };
  const document = Object.create(null) as ExactObject;
  const history: readonly string[] = HISTORY_MEMBERS;
  for (const [name, value] of Object.entries(body)) {
    if (identity.includes(name)) stated[name] = value;
    else if (!history.includes(name)) document[name] = value;
  }
  return { document, stated };
}

/** What a body states of itself that is not so. An expected value that is undefined must be absent. */
export function contradictions(
  stated: Stated,
  expected: Readonly<Record<string, string | number | undefined>>,
): Issue[] {
  return Object.entries(stated).flatMap(([name, value]) => {
    const right = expected[name];
    if (value === right) return [];
    const message = right === undefined ? 'must be absent' : `must be absent or ${right}`;
    return [{ pointer: `/${name}`, code: 'invalid_value' as const, message }];
  });
}

/** People by email and teams by name in files, by ids in the API. */
import { validate } from 'uuid';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';
import { isShortId, nodeUuid, visitNodes } from './node-ids.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
}

export interface Team {
  readonly id: string;
  readonly name: string;
}

/** Who can be named. Archived teams are not among them. */
export interface Directory {
  readonly people: readonly Person[];
  readonly teams: readonly Team[];
  /** Former members. Files cannot name them, but what is in force may. */
  readonly removed?: readonly Person[];
}

/** For people to read: former members have names, too. */
export const withRemoved = ({ people, removed = [], ...others }: Directory): Directory => ({
  ...others,
  people: [...people, ...removed.map(({ id, email }) => ({ id, email: `${email} (removed)` }))],
});

/** A problem of a value in a document. */
export interface DocumentIssue {
  readonly pointer: string;
  readonly message: string;
}

/** As the service compares emails: letters that only look alike are of different people. */
const foldedEmail = (email: string): string => email.trim().toLowerCase();

/** As the service compares names. */
export const folded = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

export interface Resolved {
  readonly value: ExactObject;
  readonly issues: readonly DocumentIssue[];
}

/** The nodes with UUIDs and ids of the API instead of names. `document` as in `nodeUuid`. */
export function withIds(value: ExactObject, document: string, directory: Directory): Resolved {
  const issues: DocumentIssue[] = [];
  const copy = clone(value) as ExactObject;
  const people = byName(directory.people.map(({ id, email }) => [foldedEmail(email), id]));
  const teams = byName(directory.teams.map(({ id, name }) => [folded(name), id]));
  visitNodes(copy['nodes'], '/nodes', (node, pointer) => {
    const { id, targets } = node;
    if (typeof id === 'string' && isShortId(id)) node['id'] = nodeUuid(document, id);
    if (!Array.isArray(targets)) return;
    node['targets'] = targets.map((target, index) =>
      targetWithId(target, { people, teams }, (message) =>
        issues.push({ pointer: `${pointer}/targets/${String(index)}`, message }),
      ),
    );
  });
  return { value: copy, issues };
}

/** The ids of each name: more than one must not be taken for any. */
type IdsByName = ReadonlyMap<string, readonly string[]>;

function byName(entries: readonly (readonly [name: string, id: string])[]): IdsByName {
  const found = new Map<string, readonly string[]>();
  for (const [name, id] of entries) found.set(name, [...(found.get(name) ?? []), id]);
  return found;
}

interface Ids {
  readonly people: IdsByName;
  readonly teams: IdsByName;
}

function targetWithId(
  target: ExactValue,
  { people, teams }: Ids,
  report: (message: string) => void,
): ExactValue {
  const members = isExactObject(target) ? Object.keys(target) : [];
  const [kind = ''] = members;
  const name = isExactObject(target) ? target[kind] : undefined;
  if (members.length === 1 && kind === 'broadcast' && name === true) return { type: 'broadcast' };
  if (members.length !== 1 || !['user', 'team'].includes(kind) || typeof name !== 'string') {
    report('must be `user` with an email, `team` with a name, or `broadcast: true`');
    return target;
  }
  const ids = kind === 'user' ? people.get(foldedEmail(name)) : teams.get(folded(name));
  const [id = validate(name) ? name : undefined, ...more] = ids ?? [];
  const [noun, what, way] =
    kind === 'user' ? ['member', 'email', 'invite them'] : ['team', 'name', 'create it'];
  const said = `has the ${what} ${JSON.stringify(name)}`;
  if (more.length > 0) report(`more than one ${noun} ${said}: give the id instead`);
  else if (id === undefined) report(`no ${noun} ${said}: ${way}, or correct it`);
  return { type: kind, id: id ?? name };
}

/** The nodes as files have them. Ids without a name stay. `shortIds`: names of nodes by their UUIDs. */
export function withNames(
  value: ExactObject,
  shortIds: ReadonlyMap<string, string>,
  directory: Directory,
): ExactObject {
  const copy = clone(value) as ExactObject;
  const people = new Map(directory.people.map(({ id, email }) => [id, email]));
  const teams = new Map(directory.teams.map(({ id, name }) => [id, name]));
  visitNodes(copy['nodes'], '', (node) => {
    const { id, targets } = node;
    if (typeof id === 'string') node['id'] = shortIds.get(id) ?? id;
    if (!Array.isArray(targets)) return;
    node['targets'] = targets.map((target): ExactValue => {
      if (!isExactObject(target)) return target;
      const { type, id: targetId } = target;
      if (type === 'broadcast') return { broadcast: true };
      if (typeof type !== 'string' || typeof targetId !== 'string') return target;
      const names = type === 'user' ? people : teams;
      return { [type]: names.get(targetId) ?? targetId };
    });
  });
  return copy;
}

/** A copy whose objects and lists can be changed. */
export function clone(value: ExactValue): ExactValue {
  if (Array.isArray(value)) return value.map(clone);
  if (!isExactObject(value)) return value;
  const copy = Object.create(null) as ExactObject;
  for (const key of Object.keys(value)) copy[key] = clone(value[key] ?? null);
  return copy;
}

/** The rules of src/domain/requests/request-access.ts as SQL. `r` is the request. */
import type { PermissionScope } from '../../../domain/people/authorization.ts';
import type { ListAccess } from '../../../domain/requests/request-access.ts';

export type QueueScope = 'notified' | 'decidable' | 'visible';

/** Whose queue, and which part of it. */
export interface QueueReader {
  readonly access: ListAccess;
  readonly scope: QueueScope;
}

export type Bindings = Record<string, string | number | boolean | Date | readonly string[]>;

/** SQL that is true where the scope covers `r.agent_slug`. Adds its own binding. */
function covers(scope: PermissionScope | undefined, name: string, bindings: Bindings): string {
  if (!scope) return 'false';
  if (scope.all) return 'true';
  bindings[name] = [...scope.agentSlugs];
  return `r.agent_slug = any(cast(:${name} as text[]))`;
}

/** A member's list starts from their notifications up to this number of them. */
export const FEW_NOTIFICATIONS = 5_000;

const NOTIFIED = `exists (
  select 1 from notifications n where n.membership_id = cast(:membership as uuid) and n.request_id = r.id)`;

/** The path revisions that can ask the member: by name, through a team, or in a broadcast. */
export const MEMBER_PATHS = `
  select distinct t.escalation_path_revision_id as id
    from escalation_path_targets t
    join escalation_path_revisions v on v.id = t.escalation_path_revision_id
    join escalation_paths p on p.id = v.escalation_path_id
   where p.organization_id = :organization
     and (t.target_type = 'broadcast' or t.membership_id = cast(:membership as uuid) or t.team_id = any(cast(:teams as uuid[])))`;

/** SQL that is false for requests of the demo agent, which figures leave out. */
export const NOT_DEMO = `r.agent_slug is distinct from (select slug from agents where organization_id = :organization and demo)`;

/**
 * One part of the list, read in order up to the page's end. With `from`, it is read once for each
 * row `s` of it. `r` is the request.
 */
export interface Part {
  readonly from: string;
  readonly where: string;
}

function each(source: string, condition: string, where: string): Part {
  return { from: `(${source}) as s`, where: `${condition} and ${where}` };
}

/**
 * The rules of access as parts that together hold every request of the scope. A reader who may see
 * everything reads in the order of the queue. Other readers start from the few paths that ask them,
 * not from all waiting requests.
 */
function accessParts({ access, scope }: QueueReader, bindings: Bindings): readonly Part[] {
  const decide = covers(access.decide, 'decide', bindings);
  const anyPath = [covers(access.decideRoutedToOthers, 'decide_routed_to_others', bindings)];
  const noPath = [decide];
  if (scope === 'visible') {
    anyPath.push(covers(access.readRoutedToOthers, 'read_routed_to_others', bindings));
    noPath.push(covers(access.read, 'read', bindings));
  }
  if (anyPath.includes('true')) return [{ from: '', where: 'true' }];
  const wide = anyPath
    .filter((clause) => clause !== 'false')
    .map((where): Part => ({ from: '', where }));
  const open = noPath.filter((clause) => clause !== 'false');
  const routedToOthers: Part[] =
    open.length === 0
      ? []
      : [{ from: '', where: `r.escalation_path_revision_id is null and (${open.join(' or ')})` }];
  if (decide === 'false') return [...wide, ...routedToOthers];
  const added =
    'select request_id as id from added_reviewers where membership_id = cast(:membership as uuid)';
  return [
    ...wide,
    ...routedToOthers,
    each('select id from member_paths', 'r.escalation_path_revision_id = s.id', decide),
    each(added, 'r.id = s.id', decide),
  ];
}

/** For readers who may see nothing. */
const NOTHING: Part = { from: '', where: 'false' };

/** Whether the member may decide the request, however it was found. */
function decidable(access: ListAccess, bindings: Bindings): string {
  return `(${covers(access.decideRoutedToOthers, 'decide_routed_to_others', bindings)}
    or (${covers(access.decide, 'decide', bindings)}
        and (r.escalation_path_revision_id is null
          or r.escalation_path_revision_id in (select id from member_paths)
          or exists (select 1 from added_reviewers a where a.request_id = r.id and a.membership_id = cast(:membership as uuid)))))`;
}

/**
 * Whether the caller may see the request `r`, however it was found. It needs MEMBER_PATHS as
 * `member_paths`.
 */
export function visible(access: ListAccess, bindings: Bindings): string {
  bindings['membership'] = access.membershipId;
  bindings['teams'] = [...access.teamIds];
  return `(${covers(access.readRoutedToOthers, 'read_routed_to_others', bindings)}
    or (r.escalation_path_revision_id is null and ${covers(access.read, 'read', bindings)})
    or ${decidable(access, bindings)})`;
}

/** Whether the request is in the scope, however it was found. It needs `member_paths`, too. */
export function inScope({ access, scope }: QueueReader, bindings: Bindings): string {
  const seen = visible(access, bindings);
  if (scope === 'visible') return seen;
  const decides = decidable(access, bindings);
  return scope === 'decidable' ? decides : `(${decides} and ${NOTIFIED})`;
}

/** SQL: what the parts need before them. */
export const READER_TABLES = `
  member_paths as materialized (${MEMBER_PATHS}),
  notification_count as materialized (
    select count(*) <= :few as few
      from (select 1 from notifications where membership_id = cast(:membership as uuid) limit :few + 1) as n
  )`;

/** SQL: a part as a list of ids. `found` selects from the requests `r` under a condition. */
export function readPart({ from, where }: Part, found: (where: string) => string): string {
  return from === ''
    ? `(${found(where)})`
    : `(select f.* from ${from} cross join lateral (${found(where)}) as f)`;
}

/**
 * A member with few notifications starts from these. A member with many soon meets one among the
 * requests they may decide.
 */
export function partsOf(reader: QueueReader, bindings: Bindings): readonly Part[] {
  bindings['membership'] = reader.access.membershipId;
  bindings['teams'] = [...reader.access.teamIds];
  const parts = accessParts(reader, bindings);
  if (reader.scope !== 'notified') return parts.length === 0 ? [NOTHING] : parts;
  const notifiedRequests =
    'select distinct request_id as id from notifications where membership_id = cast(:membership as uuid)';
  return [
    each(
      `${notifiedRequests} and (select few from notification_count)`,
      'r.id = s.id',
      decidable(reader.access, bindings),
    ),
    ...parts.map((part) => ({
      ...part,
      where: `not (select few from notification_count) and ${part.where} and ${NOTIFIED}`,
    })),
  ];
}

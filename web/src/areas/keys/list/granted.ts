/** The grants of a key as terms of policies: what holds at the same places stands together. Pure. */
import type { Terms } from '../../../shared/access/access-data.ts';
import type { Key } from '../keys-data.ts';

type Grant = Key['grants'][number];

export function termsOfGrants(grants: readonly Grant[]): readonly Terms[] {
  const places = Map.groupBy(grants, ({ scope_kind: kind, scope_id: id = '' }) => `${kind} ${id}`);
  const same = Map.groupBy([...places.values()], (of) =>
    [of[0]?.scope_kind, ...permissionsOf(of)].join(' '),
  );
  return [...same.values()].map((groups) => ({
    scope_kind: groups[0]?.[0]?.scope_kind ?? 'organization',
    resource_ids: groups.flatMap(([first]) => first?.scope_id ?? []),
    permissions: [...permissionsOf(groups[0] ?? [])],
    is_owner: false,
  }));
}

const permissionsOf = (grants: readonly Grant[]): readonly string[] =>
  grants.map(({ permission }) => permission).toSorted();

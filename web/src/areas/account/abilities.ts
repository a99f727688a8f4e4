/** What a person may do, from the grants they can use. */
import { permissionAreas } from '../../shared/text/permissions.ts';

/** As the account has it. */
interface Grant {
  readonly permission: string;
  readonly scope_kind: 'organization' | 'team' | 'agent';
  readonly scope_id?: string;
}

export interface Ability {
  readonly permission: string;
  readonly text: string;
  /** The teams and agents it is limited to. Empty: the whole organization. */
  readonly scopes: readonly Scope[];
}

interface Scope {
  readonly kind: 'team' | 'agent';
  readonly id: string;
}

interface AbilityArea {
  readonly area: string;
  readonly abilities: readonly Ability[];
}

/** A permission of the whole organization covers each of its teams and agents. */
export function abilitiesOf(grants: readonly Grant[]): readonly AbilityArea[] {
  return Object.entries(permissionAreas).flatMap(([area, texts]) => {
    const abilities = Object.entries(texts).flatMap(([permission, text]) => {
      const held = grants.filter((grant) => grant.permission === permission);
      return held.length === 0 ? [] : [{ permission, text, scopes: scopesOf(held) }];
    });
    return abilities.length === 0 ? [] : [{ area, abilities }];
  });
}

function scopesOf(grants: readonly Grant[]): readonly Scope[] {
  if (grants.some(({ scope_kind }) => scope_kind === 'organization')) return [];
  const scopes = grants.flatMap(({ scope_kind: kind, scope_id: id }) =>
    kind === 'organization' || id === undefined ? [] : [{ kind, id }],
  );
  return [...new Map(scopes.map((scope) => [`${scope.kind} ${scope.id}`, scope])).values()];
}

/** Every id that the page shows by name. */
export const namedIds = ({
  principal,
}: {
  readonly principal: { readonly team_ids: readonly string[]; readonly grants: readonly Grant[] };
}): readonly string[] => [
  ...new Set([
    ...principal.team_ids,
    ...principal.grants.flatMap(({ scope_id: id }) => (id === undefined ? [] : [id])),
  ]),
];

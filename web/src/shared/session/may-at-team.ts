/** What the reader may do with one team. Permissions may be limited to some teams. */
import type { Account } from './session.ts';

export const mayAtTeam = (
  { principal }: Account,
  permission: string,
  teamId: string | undefined,
): boolean =>
  principal.grants.some(
    ({ permission: held, scope_kind: kind, scope_id: id }) =>
      held === permission && (kind === 'organization' || (kind === 'team' && id === teamId)),
  );

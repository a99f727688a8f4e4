/** Whether the reader may suspend and remove a member, and what the page says about it. Pure. */
import { isOwner } from '../../../shared/session/ownership.ts';
import { hasPermission, type Account } from '../../../shared/session/session.ts';
import type { Member } from '../people-data.ts';

interface Standing {
  readonly mayChange: boolean;
  /** A text of the page. */
  readonly note?: 'removed' | 'managed' | 'self' | 'ownerOnly' | 'suspended';
}

/** What the service refuses is not offered, and the page says why. */
export function standingOf(member: Member, account: Account): Standing {
  if (member.status === 'deprovisioned') return { mayChange: false, note: 'removed' };
  const mayWrite = hasPermission(account, 'membership.write');
  const suspended = member.status === 'suspended' && ({ note: 'suspended' } as const);
  if (!mayWrite) return { mayChange: false, ...suspended };
  if (member.id === account.principal.membership_id) return { mayChange: false, note: 'self' };
  if (member.directory_managed) return { mayChange: false, note: 'managed' };
  if (isOwner(member) && !isOwner(account)) return { mayChange: false, note: 'ownerOnly' };
  return { mayChange: true, ...suspended };
}

/** What the reader may do with the agent of the page. Permissions may be limited to some agents. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';

export function useMay(permission: string): boolean {
  const { slug } = useParams({ from: '/signed-in/agents/$slug' });
  const { data: account } = useSuspenseQuery(accountQuery);
  return hasPermissionFor(account, permission, slug);
}

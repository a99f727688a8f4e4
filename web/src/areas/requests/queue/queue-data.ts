/** The list of requests beside a request. */
import { useQuery } from '@tanstack/react-query';
import { queueQuery } from '../requests-data.ts';

/** The one that waits longest, other than this one. */
export function useNextRequest(id: string): string | undefined {
  const { data } = useQuery(queueQuery);
  return data?.findLast((request) => request.id !== id && request.status === 'pending')?.id;
}

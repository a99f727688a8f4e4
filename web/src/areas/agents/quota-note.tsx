/** There is no room for one more agent: how many may be there, and where others are. */
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../shared/api/api.ts';
import { quota as text } from './text.ts';

export const isQuota = (error: Error | null): error is ApiError =>
  error instanceof ApiError && error.code === 'quota_exceeded';

export function QuotaNote({ error }: { readonly error: ApiError }) {
  const { limit } = error.details;
  return (
    <p role="alert">
      {typeof limit === 'number' ? text.reached(limit) : text.noLimit}{' '}
      <Link to="/agents" search={{ show: 'archived' }}>
        {text.archived}
      </Link>
    </p>
  );
}

/** What a page shows instead of its content: loading, failed, not found. */
import { Button, Loader } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { session } from '../text/session.ts';
import { ApiError } from './api.ts';
import classes from './states.module.css';

export function Loading() {
  return (
    <div className={classes['state']} role="status" aria-live="polite">
      <Loader size="sm" color="var(--accent)" />
      <p>{session.loading}</p>
    </div>
  );
}

export function NotFound() {
  return (
    <main className={classes['state']}>
      <h1>{session.notFoundTitle}</h1>
      <p>{session.notFound}</p>
      <Link to="/">{session.toRequests}</Link>
    </main>
  );
}

/** For what a person may not open: says which permission is missing. */
export function MissingPermission({ permission }: { readonly permission: string }) {
  const error = new ApiError({
    status: 403,
    code: 'permission_denied',
    message: '',
    details: { permission },
    requestId: undefined,
  });
  return <Failed error={error} />;
}

/** Router gives `error` and `reset`. Pages use it for their own queries, too. */
export function Failed({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  const router = useRouter();
  const retry = () => {
    reset?.();
    void router.invalidate();
  };
  const problem = error instanceof ApiError ? error : undefined;
  const isForbidden = problem?.status === 403;
  const permission = problem?.details['permission'];
  return (
    <section className={classes['state']} role="alert">
      <h1>{isForbidden ? session.forbiddenTitle : session.failedTitle}</h1>
      <p>
        {isForbidden && typeof permission === 'string'
          ? session.missingPermission(permission)
          : (problem?.message ?? session.unexpected)}
      </p>
      {!isForbidden && <Button onClick={retry}>{session.retry}</Button>}
      {problem?.requestId !== undefined && (
        <p className={classes['detail']}>{session.requestId(problem.requestId)}</p>
      )}
    </section>
  );
}

interface PartFailedProps {
  readonly part: { readonly refetch: () => Promise<unknown>; readonly isFetching: boolean };
}

/** In the place of a part of a page that could not be read. The rest of the page works. */
export function PartFailed({ part }: PartFailedProps) {
  return (
    <p className={classes['partFailed']} role="alert">
      {session.partFailed}{' '}
      <button
        type="button"
        className={classes['retry']}
        disabled={part.isFetching}
        onClick={() => void part.refetch()}
      >
        {session.retry}
      </button>
    </p>
  );
}

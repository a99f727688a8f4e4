/** What a page shows instead of its content: loading, failed, not found. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { Button } from '../design/button.tsx';
import { Spinner } from '../design/spinner.tsx';
import { notShown } from '../text/design.ts';
import { session } from '../text/session.ts';
import { ApiError } from '../api/api.ts';
import { isBusy } from '../api/retries.ts';
import { loadPart } from '../browser/new-build.ts';
import { useTitle } from './title.ts';
import classes from './states.module.css';

/** `why`: what is waited for, where that is not the response alone. */
export function Loading({ why }: { readonly why?: string | undefined }) {
  return (
    <div className={classes['state']} role="status" aria-live="polite">
      <Spinner />
      <p>{why ?? session.loading}</p>
    </div>
  );
}

/** While the router reads what a page needs. */
export function Pending() {
  const cache = useQueryClient().getQueryCache();
  const isServiceBusy = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    // A read that gave up keeps its last failure.
    () =>
      cache
        .findAll({ fetchStatus: 'fetching' })
        .some(({ state }) => isBusy(state.fetchFailureReason)),
  );
  return <Loading why={isServiceBusy ? session.busy : undefined} />;
}

export function NotFound() {
  return (
    <main>
      <NothingHere />
    </main>
  );
}

/** For a path that no page has. */
export function NothingHere() {
  useTitle(session.notFoundTitle);
  return (
    <section className={classes['state']}>
      <h1>{session.notFoundTitle}</h1>
      <p>{session.notFound}</p>
      <Link to="/">{session.toRequests}</Link>
    </section>
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

/** By the status of responses that another try does not change. */
const titles: Readonly<Record<number, string>> = {
  403: session.forbiddenTitle,
  404: session.missingTitle,
};

const PermissionReason = lazy(async () => {
  const { PermissionReason: component } = await loadPart(() => import('./permission-reason.tsx'));
  return { default: component };
});

function Reason({ problem }: { readonly problem: ApiError }) {
  if (statusOf(problem) === 404) return session.missing;
  const permission = problem.details['permission'];
  if (problem.status !== 403 || typeof permission !== 'string') return problem.message;
  return (
    <Suspense fallback={null}>
      <PermissionReason permission={permission} />
    </Suspense>
  );
}

/** Nothing is there, either, where the address names what cannot be, such as a key by no UUID. */
function statusOf(problem: ApiError | undefined): number {
  const [issue] = (problem?.details['issues'] ?? []) as readonly { readonly pointer: string }[];
  return issue?.pointer.startsWith('/path/') ? 404 : (problem?.status ?? 0);
}

/** Router gives `error` and `reset`. Pages use it for their own queries, too. */
export function Failed({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  const router = useRouter();
  const retry = () => {
    reset?.();
    void router.invalidate();
  };
  const problem = error instanceof ApiError ? error : undefined;
  const status = statusOf(problem);
  return (
    <section className={classes['state']} role="alert">
      <h1>{titles[status] ?? session.failedTitle}</h1>
      <p>{problem ? <Reason problem={problem} /> : notShown.page}</p>
      {titles[status] !== undefined && <WayOn status={status} />}
      {titles[status] === undefined && <Button onClick={retry}>{session.retry}</Button>}
      {problem?.requestId !== undefined && (
        <p className={classes['detail']}>{session.requestId(problem.requestId)}</p>
      )}
    </section>
  );
}

/** Who may not open a page may not see the requests either, but always their account. */
function WayOn({ status }: { readonly status: number }) {
  return (
    <nav aria-label={session.wayOn} className={classes['wayOn']}>
      {(status !== 403 || location.pathname !== '/') && <Link to="/">{session.toRequests}</Link>}
      {status === 403 && <Link to="/account">{session.toAccount}</Link>}
    </nav>
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

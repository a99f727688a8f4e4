/** The frame of all pages for people who are signed in. */
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatch, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { session } from '../shared/text/session.ts';
import { RecentAuthentication } from '../shared/session/recent-authentication.tsx';
import { useNewBuild } from '../shared/browser/new-build.ts';
import { accountQuery, dropSession, signOut } from '../shared/session/session.ts';
import { Mark } from '../shared/design/mark.tsx';
import classes from './frame.module.css';

/** Around the pages of its routes, or around `children`. */
export function Frame({ children }: { readonly children?: ReactNode }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  // Also while a request is open.
  const isQueue = useMatch({ from: '/signed-in/queue', shouldThrow: false }) !== undefined;
  return (
    <div className={classes['frame']}>
      <a className={classes['skip']} href="#content">
        {session.skip}
      </a>
      <header className={classes['header']}>
        <Link to="/" className={classes['brand']}>
          <Mark />
          <span className={classes['product']}>{session.product}</span>
        </Link>
        <nav aria-label={session.product} className={classes['links']}>
          <Link to="/" className={classes['link']} {...(isQueue && { 'aria-current': 'page' })}>
            {session.requests}
          </Link>
          {account.onboarding.required && (
            <Link to="/setup" className={classes['link']}>
              {session.setup}
            </Link>
          )}
        </nav>
        <div className={classes['account']}>
          <Link to="/account" className={classes['me']}>
            <PersonIcon />
            <bdi className={classes['name']}>{account.user.display_name}</bdi>
            <span className={classes['announced']}>, {session.me}</span>
          </Link>
          <SignOut />
        </div>
      </header>
      <NewBuild />
      <main id="content" className={classes['content']} tabIndex={-1}>
        <RecentAuthentication>{children ?? <Outlet />}</RecentAuthentication>
      </main>
    </div>
  );
}

/** Nothing is loaded again by itself: someone may be writing a note. */
function NewBuild() {
  const isNewer = useNewBuild();
  return (
    <div role="status" className={classes['newBuild']}>
      {isNewer && (
        <>
          <span>{session.newBuild}</span>
          <button
            type="button"
            className={classes['reload']}
            onClick={() => {
              location.reload();
            }}
          >
            {session.reload}
          </button>
        </>
      )}
    </div>
  );
}

function PersonIcon() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" className={classes['icon']}>
      <circle cx="10" cy="7" r="3.25" />
      <path d="M3.5 17c.9-3.2 3.4-4.75 6.5-4.75s5.6 1.55 6.5 4.75" />
    </svg>
  );
}

function SignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate({ to: '/login' });
      dropSession(queries);
    },
  });
  return (
    <>
      {leave.isError && (
        <span role="alert" className={classes['problem']}>
          {session.signOutFailed}
        </span>
      )}
      <button
        type="button"
        className={classes['signOut']}
        disabled={leave.isPending}
        onClick={() => {
          leave.mutate();
        }}
      >
        {session.signOut}
      </button>
    </>
  );
}

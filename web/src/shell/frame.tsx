/** The frame of all pages for people who are signed in. */
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { session } from '../text/session.ts';
import { RecentAuthentication } from './recent-authentication.tsx';
import { accountQuery, dropSession, signOut } from './session.ts';
import { Mark } from '../design/mark.tsx';
import classes from './frame.module.css';

export function Frame() {
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <div className={classes['frame']}>
      <a className={classes['skip']} href="#content">
        {session.skip}
      </a>
      <header className={classes['header']}>
        <Link to="/" className={classes['brand']}>
          <Mark />
          <span>{session.product}</span>
        </Link>
        <nav aria-label={session.product} className={classes['links']}>
          <Link to="/" activeOptions={{ includeSearch: false }} className={classes['link']}>
            {session.requests}
          </Link>
        </nav>
        <div className={classes['account']}>
          <bdi className={classes['name']}>{account.user.display_name}</bdi>
          <SignOut />
        </div>
      </header>
      <main id="content" className={classes['content']} tabIndex={-1}>
        <RecentAuthentication>
          <Outlet />
        </RecentAuthentication>
      </main>
    </div>
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
  );
}

/** Around the guides: the frame for people who are signed in, and a plain head for everyone else. */
import { Link, Outlet } from '@tanstack/react-router';
import { Mark } from '../shared/design/marks/mark.tsx';
import { docsRoute } from '../shared/routes/parents.ts';
import { session } from '../shared/text/session.ts';
import { Frame } from './frame.tsx';
import frame from './frame.module.css';
import classes from './navigation.module.css';

export function DocsFrame() {
  const { account } = docsRoute.useRouteContext();
  if (account) return <Frame />;
  return (
    <div className={frame['frame']}>
      <a className={frame['skip']} href="#content">
        {session.skip}
      </a>
      <header className={classes['header']}>
        <Link to="/docs" className={classes['brand']}>
          <Mark />
          <span>{session.product}</span>
        </Link>
        <span className={classes['places']} />
        <Link to="/login" className={classes['me']}>
          {session.signIn}
        </Link>
      </header>
      <main id="content" className={frame['content']} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

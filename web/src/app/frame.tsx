/** The frame of all pages for people who are signed in. */
import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { session } from '../shared/text/session.ts';
import { RecentAuthentication } from '../shared/session/recent-authentication.tsx';
import { useNewBuild } from '../shared/browser/new-build.ts';
import { ToastPlace } from '../shared/design/messages/toast-place.tsx';
import { Part } from '../shared/design/part.tsx';
import { Navigation } from './navigation.tsx';
import classes from './frame.module.css';

/** Around the pages of its routes, or around `children`. */
export function Frame({ children }: { readonly children?: ReactNode }) {
  return (
    <div className={classes['frame']}>
      <a className={classes['skip']} href="#content">
        {session.skip}
      </a>
      <Part>
        <Navigation />
      </Part>
      <NewBuild />
      <main id="content" className={classes['content']} tabIndex={-1}>
        <RecentAuthentication>{children ?? <Outlet />}</RecentAuthentication>
      </main>
      <ToastPlace />
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

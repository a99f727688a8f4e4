/** The head of the page: where one can go. On phones, a menu that is closed at first. */
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState, type FocusEvent } from 'react';
import { loadPart } from '../shared/browser/new-build.ts';
import { Mark } from '../shared/design/marks/mark.tsx';
import { accountQuery, dropSession, hasPermission, signOut } from '../shared/session/session.ts';
import { navigation as text } from '../shared/text/navigation.ts';
import { session } from '../shared/text/session.ts';
import { PaletteButton } from './palette/palette-button.tsx';
import { entriesFor, isCurrent } from './places.ts';
import classes from './navigation.module.css';

/** No page waits for it. */
const DeadCount = lazy(async () => {
  const part = await loadPart(() => import('../areas/channels/dead-count.tsx'));
  return { default: part.DeadCount };
});

export function Navigation() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const menu = useMenu(pathname);
  return (
    <header className={classes['header']} {...menu.around}>
      <Link to="/" className={classes['brand']}>
        <Mark />
        <span>{session.product}</span>
      </Link>
      <button {...menu.button} type="button" className={classes['menu']} aria-controls="places">
        <MenuIcon isOpen={menu.isOpen} />
        {text.menu}
      </button>
      <div id="places" className={classes['places']} data-open={menu.isOpen || undefined}>
        <nav aria-label={text.label} className={classes['links']}>
          {entriesFor(account).map((entry) => (
            <Link
              key={entry.to}
              to={entry.to}
              className={classes['link']}
              onClick={menu.close}
              activeOptions={{ exact: true }}
              // Also on the pages below it.
              aria-current={isCurrent(entry, pathname) ? 'page' : undefined}
            >
              {entry.label}
              {entry.label === text.settings && hasPermission(account, 'connection.read') && (
                <Suspense>
                  <DeadCount />
                </Suspense>
              )}
            </Link>
          ))}
        </nav>
        <PaletteButton onOpen={menu.leave} />
        <Link to="/docs" className={classes['me']} onClick={menu.close}>
          {text.guides}
        </Link>
        <Link to="/account" className={classes['me']} onClick={menu.close}>
          <PersonIcon />
          <bdi className={classes['name']} translate="no">
            {account.user.display_name}
          </bdi>
          <span className="visually-hidden">, {session.me}</span>
        </Link>
        <SignOut />
      </div>
    </header>
  );
}

/** It closes when one leaves it, by a link, the Escape key or the focus. */
function useMenu(pathname: string) {
  const button = useRef<HTMLButtonElement>(null);
  const [openedAt, setOpenedAt] = useState<string>();
  const isOpen = openedAt === pathname;
  const close = () => {
    setOpenedAt(undefined);
  };
  // To its button, where there is one: what opens now gives the focus back to it.
  const leave = () => {
    close();
    button.current?.focus();
  };
  return {
    isOpen,
    close,
    leave,
    button: {
      ref: button,
      'aria-expanded': isOpen,
      onClick: () => {
        setOpenedAt(isOpen ? undefined : pathname);
      },
    },
    around: {
      onKeyDown: ({ key }: { readonly key: string }) => {
        if (key === 'Escape' && isOpen) leave();
      },
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) close();
      },
    },
  };
}

function MenuIcon({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" className={classes['icon']}>
      <path d={isOpen ? 'M5 5l10 10M15 5L5 15' : 'M3 5.5h14M3 10h14M3 14.5h14'} />
    </svg>
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

/** Pages on which people sign in and join, and those that connect their first machines. */
import { createRoute, redirect } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { rootRoute, signedInRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';
import { safeReturnPath } from '../../shared/session/return-to.ts';
import { currentAccount, signInOptionsQuery } from '../../shared/session/session.ts';

const login = createRoute({
  getParentRoute: () => rootRoute,
  path: WEB_PAGES.login,
  validateSearch: ({ return_to: returnTo, error, ended }: Record<string, unknown>) => ({
    ...(typeof returnTo === 'string' && { return_to: safeReturnPath(returnTo) }),
    ...(typeof error === 'string' && { error }),
    // The session ended while a page was open.
    ...(ended === true && { ended }),
  }),
  beforeLoad: async ({ context: { queries }, search }) => {
    const [options, account] = await Promise.all([
      queries.fetchQuery(signInOptionsQuery),
      currentAccount(queries),
    ]);
    if (options.bootstrap_required) throw redirect({ to: '/welcome' });
    // A failed sign-in at the identity provider is explained first.
    if (account && search.error === undefined)
      throw redirect({ href: safeReturnPath(search.return_to) });
    return { options, account };
  },
  component: screen(() => import('./login.tsx'), 'Login'),
});

const welcome = createRoute({
  getParentRoute: () => rootRoute,
  path: WEB_PAGES.welcome,
  beforeLoad: async ({ context: { queries } }) => {
    const options = await queries.fetchQuery(signInOptionsQuery);
    if (!options.bootstrap_required) throw redirect({ to: '/' });
  },
  component: screen(() => import('./welcome.tsx'), 'Welcome'),
});

const forgotPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: WEB_PAGES.forgotPassword,
  component: screen(() => import('./forgot-password.tsx'), 'ForgotPassword'),
});

const resetPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: WEB_PAGES.resetPassword,
  component: screen(() => import('./reset-password.tsx'), 'ResetPassword'),
});

const invitation = createRoute({
  getParentRoute: () => rootRoute,
  path: WEB_PAGES.invitation,
  beforeLoad: async ({ context: { queries } }) => {
    const [options, account] = await Promise.all([
      queries.fetchQuery(signInOptionsQuery),
      currentAccount(queries),
    ]);
    return { options, account };
  },
  component: screen(() => import('./invitation.tsx'), 'Invitation'),
});

const enroll = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.enroll,
  validateSearch: ({ code }: Record<string, unknown>) => ({
    ...(typeof code === 'string' && { code: code.trim().toUpperCase() }),
  }),
  component: screen(() => import('./enroll.tsx'), 'Enroll'),
});

/** Open to all. */
export const signInRoutes = [login, welcome, forgotPassword, resetPassword, invitation] as const;

export const enrollRoutes = [enroll] as const;

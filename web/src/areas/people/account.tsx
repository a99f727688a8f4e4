/** The account pages: a list of sections beside the section that is open. */
import { Link, Outlet } from '@tanstack/react-router';
import { account as text } from '../../shared/text/account.ts';
import classes from './account.module.css';

const SECTIONS = [
  { to: '/account', label: text.profile },
  { to: '/account/security', label: text.securityShort },
  { to: '/account/sessions', label: text.sessions },
  { to: '/account/notifications', label: text.notifications },
  { to: '/account/shortcuts', label: text.shortcuts },
] as const;

export function AccountLayout() {
  return (
    <div className={classes['layout']}>
      <nav aria-label={text.sections} className={classes['sections']}>
        {SECTIONS.map(({ to, label }) => (
          <Link key={to} to={to} activeOptions={{ exact: true }} className={classes['section']}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={classes['page']}>
        <Outlet />
      </div>
    </div>
  );
}

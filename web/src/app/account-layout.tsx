/** The sections of the reader's account. */
import { SectionsLayout } from '../shared/page/sections-layout.tsx';
import { account as text } from '../shared/text/account.ts';

export const ACCOUNT_SECTIONS = [
  { to: '/account', label: text.profile },
  { to: '/account/security', label: text.securityShort },
  { to: '/account/sessions', label: text.sessions },
  { to: '/account/notifications', label: text.notifications },
  { to: '/account/keys', label: text.keysShort },
  { to: '/account/shortcuts', label: text.shortcuts },
] as const;

export function AccountLayout() {
  return <SectionsLayout label={text.sections} sections={ACCOUNT_SECTIONS} />;
}

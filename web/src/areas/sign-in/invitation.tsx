/** Joining an organization through an invitation. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useRouteContext } from '@tanstack/react-router';
import { Spinner } from '../../shared/design/spinner.tsx';
import { Failed } from '../../shared/page/states.tsx';
import { startSession, type Account } from '../../shared/session/session.ts';
import { signIn as text } from '../../shared/text/sign-in.ts';
import { JoinAs, JoinAsNew, JoinWithPassword, OtherAccount } from './join-forms.tsx';
import { SignInPage } from './page.tsx';
import { isNotFound } from './reset-password.tsx';
import { acceptInvitation, invitationQuery } from './sign-in-data.ts';
import { SingleSignOn } from './single-sign-on.tsx';
import classes from './page.module.css';

export function Invitation() {
  const { token } = useParams({ from: '/invitations/$token' });
  const { account, options } = useRouteContext({ from: '/invitations/$token' });
  const invitation = useQuery(invitationQuery(token));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const join = useMutation({
    mutationFn: acceptInvitation,
    onSuccess: async (joined) => {
      startSession(queries, joined);
      await navigate({ to: '/', replace: true });
    },
  });
  if (isNotFound(invitation.error) || isNotFound(join.error)) return <Ended account={account} />;
  if (invitation.error) return <Failed error={invitation.error} />;
  if (invitation.isPending)
    return (
      <SignInPage title={text.joinTitle}>
        <Spinner />
      </SignInPage>
    );
  const { email, account_exists: isKnown, organization, invited_by: inviter } = invitation.data;
  const form = { token, email, join };
  return (
    <SignInPage
      title={text.joinTitle}
      intro={
        <>
          <bdi>{inviter.display_name}</bdi> {text.invitesYou}{' '}
          <strong>
            <bdi>{organization.name}</bdi>
          </strong>
          .
        </>
      }
    >
      {account && isSame(account, email) && <JoinAs {...form} />}
      {account && !isSame(account, email) && <OtherAccount account={account} email={email} />}
      {!account && !isKnown && <JoinAsNew {...form} />}
      {!account && isKnown && (
        <>
          {options.sso && (
            <SingleSignOn
              name={options.sso.name}
              path={`/invitations/${encodeURIComponent(token)}`}
            />
          )}
          <JoinWithPassword {...form} />
        </>
      )}
    </SignInPage>
  );
}

const isSame = ({ user }: Account, email: string): boolean =>
  user.email.toLowerCase() === email.toLowerCase();

/** The service does not say which it was: used, revoked, replaced by a newer one, or expired. */
function Ended({ account }: { readonly account: Account | undefined }) {
  return (
    <SignInPage title={text.linkEndedTitle} intro={text.invitationEnded}>
      <p className={classes['aside']}>
        {account ? <Link to="/">{text.goOn}</Link> : <Link to="/login">{text.title}</Link>}
      </p>
    </SignInPage>
  );
}

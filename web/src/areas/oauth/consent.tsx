/** A person lets an app act for them, or declines. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { ApiError } from '../../shared/api/api.ts';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import note from '../../shared/design/note.module.css';
import { Result } from '../../shared/design/result.tsx';
import { Failed, Loading, MissingPermission } from '../../shared/page/states.tsx';
import { useTitle } from '../../shared/page/title.ts';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import { accountQuery, hasPermission, type Account } from '../../shared/session/session.ts';
import { consent as text } from './text.ts';
import { ClientFacts } from './client-facts.tsx';
import {
  decide,
  firstChoice,
  previewQuery,
  readAsked,
  targetOf,
  type Asked,
  type Preview,
} from './consent-data.ts';
import { Everything, PermissionChoice } from './permission-choice.tsx';
import classes from './consent.module.css';

const NEEDED = 'api_key.issue';

export function Consent() {
  useTitle(text.title);
  const { searchStr } = useLocation();
  const asked = useMemo(() => readAsked(searchStr), [searchStr]);
  const { data: account } = useSuspenseQuery(accountQuery);
  const preview = useQuery(previewQuery(asked));
  if (preview.isPending) return <Loading />;
  if (preview.isError)
    return <Refused asked={asked} error={preview.error} retry={() => void preview.refetch()} />;
  if (!preview.data.personal_api_keys_allowed)
    return <Stop title={text.disabledTitle} why={text.disabled} />;
  if (!hasPermission(account, NEEDED)) return <MissingPermission permission={NEEDED} />;
  return <Question asked={asked} preview={preview.data} account={account} />;
}

/** There is no one to go back to: nothing here leads to the address that the request names. */
function Refused({
  asked,
  error,
  retry,
}: {
  readonly asked: Asked;
  readonly error: Error;
  readonly retry: () => void;
}) {
  const { status = 0, code = '', message = '' } = error instanceof ApiError ? error : {};
  if (status === 404) return <Stop title={text.unknownTitle} why={text.unknown} />;
  if (code === 'invalid_redirect_uri')
    return <Stop title={text.redirectTitle} why={text.redirect} />;
  if (code === 'invalid_client_metadata') return <Stop title={text.metadataTitle} why={message} />;
  if (status === 400) return <Stop title={text.invalidTitle} why={text.invalid(targetOf(asked))} />;
  return <Failed error={error} reset={retry} />;
}

function Stop({ title, why }: { readonly title: string; readonly why: string }) {
  return (
    <div className={classes['consent']}>
      <section className={classes['card']} role="alert">
        <h1>{title}</h1>
        <p>{why}</p>
      </section>
    </div>
  );
}

function Question({
  asked,
  preview,
  account,
}: {
  readonly asked: Asked;
  readonly preview: Preview;
  readonly account: Account;
}) {
  const [chosen, setChosen] = useState(() => firstChoice(preview));
  const deciding = useSensitiveMutation({
    mutationFn: decide,
    onSuccess: (redirectUrl) => {
      location.assign(redirectUrl);
    },
  });
  if (deciding.isSuccess)
    return <Done isApproved={deciding.variables.approve} redirectUrl={deciding.data} />;
  const { scoping_enabled: isScoped } = preview;
  const isEmpty = isScoped && chosen.length === 0;
  const send = (approve: boolean) => {
    if (deciding.isPending) return;
    deciding.mutate({ asked, approve, ...(approve && isScoped && { permissions: chosen }) });
  };
  return (
    <div className={classes['consent']}>
      <h1>{text.title}</h1>
      <div className={classes['card']}>
        <p className={note['warning']}>{text.warning}</p>
        <ClientFacts preview={preview} account={account} />
        {isScoped ? (
          <PermissionChoice preview={preview} chosen={chosen} onChange={setChosen} />
        ) : (
          <Everything bearable={preview.bearable_permissions} />
        )}
        <Result text={isEmpty ? text.none : ''} error={deciding.error} />
        <div className={classes['buttons']}>
          <Button
            aria-disabled={deciding.isPending || isEmpty}
            aria-busy={deciding.isPending}
            onClick={() => {
              if (!isEmpty) send(true);
            }}
          >
            {deciding.isPending && deciding.variables.approve ? text.approving : text.approve}
          </Button>
          <Button
            isSecondary
            onClick={() => {
              send(false);
            }}
          >
            {text.decline}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** An app on the device may open without the page going away. */
function Done({
  isApproved,
  redirectUrl,
}: {
  readonly isApproved: boolean;
  readonly redirectUrl: string;
}) {
  return (
    <div className={classes['consent']}>
      <section className={classes['card']} role="status">
        <h1>{isApproved ? text.approved : text.declined}</h1>
        <p>{text.goBack}</p>
        <LinkButton
          onClick={() => {
            location.assign(redirectUrl);
          }}
        >
          {text.open}
        </LinkButton>
      </section>
    </div>
  );
}

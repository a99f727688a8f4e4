/** Claiming a request, so that no one else is asked meanwhile. */
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { call } from '../../../shared/api/api.ts';
import { useOnline } from '../../../shared/browser/online.ts';
import { useSingleKeys } from '../../../shared/browser/single-keys.ts';
import { accountQuery } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { requestKey, type RequestDetail } from '../requests-data.ts';
import { OfflineReason } from './offline-reason.tsx';
import keyClasses from '../key.module.css';
import classes from './claim-control.module.css';

export function ClaimControl({ request }: { readonly request: RequestDetail }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const queries = useQueryClient();
  const isOnline = useOnline();
  const reason = useId();
  const change = useMutation({
    mutationFn: async (method: 'post' | 'delete') =>
      await call(method, '/api/v1/requests/{id}/claim', { params: { path: { id: request.id } } }),
    onSettled: async () => await queries.invalidateQueries({ queryKey: requestKey(request.id) }),
  });
  const { claim } = request;
  const canClaim = request.status === 'pending' && !claim && request.can_claim;
  useSingleKeys({
    c: () => {
      if (canClaim && isOnline && !change.isPending) change.mutate('post');
    },
  });
  if (request.status !== 'pending' || (!claim && !request.can_claim)) return null;
  const isOwn = claim?.membership_id === account.principal.membership_id;
  const holder = isOwn ? (
    text.claimedByYou
  ) : (
    <>
      <ForeignText text={claim?.display_name ?? ''} /> {text.holdsClaim}
    </>
  );
  return (
    <div className={classes['claim']}>
      {claim ? (
        <p>
          {holder}. {text.claimEnds} <Instant at={claim.expires_at} as="in" />.
        </p>
      ) : (
        <p className={classes['hint']}>{text.claimHint}</p>
      )}
      {(isOwn || !claim) && (
        <Button
          isSecondary
          disabled={!isOnline || change.isPending}
          aria-busy={change.isPending}
          aria-describedby={reason}
          onClick={() => {
            change.mutate(claim ? 'delete' : 'post');
          }}
        >
          {claim ? text.release : text.claim}
          {!claim && <kbd className={keyClasses['key']}>{text.claimKey}</kbd>}
        </Button>
      )}
      {(isOwn || !claim) && <OfflineReason id={reason} />}
      <div role="alert">{change.error?.message}</div>
    </div>
  );
}

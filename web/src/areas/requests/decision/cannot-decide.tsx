/** Why this person cannot decide the request, and what they can do about it. */
import { useQueryClient } from '@tanstack/react-query';
import { Button } from '../../../shared/design/button.tsx';
import { useRecentAuthentication } from '../../../shared/session/recent-authentication.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import { requestKey, type RequestDetail } from '../requests-data.ts';
import { useDecisionState } from './decision-data.ts';
import { messagesOf } from './decide-bar.tsx';
import classes from './cannot-decide.module.css';

export function CannotDecide({ request }: { readonly request: RequestDetail }) {
  const { id, cannot_reason: reason } = request;
  const messages = [
    ...messagesOf(useDecisionState(id)),
    ...(reason && text.cannot[reason] !== '' ? [text.cannot[reason]] : []),
  ];
  if (messages.length === 0) return null;
  return (
    <div className={classes['cannot']}>
      <div role="status">
        {messages.map((message) => (
          <p key={message}>{message}</p>
        ))}
      </div>
      {reason === 'mfa_required' && <EnterCode id={id} />}
    </div>
  );
}

/** This session had no second factor. The person may have one. */
function EnterCode({ id }: { readonly id: string }) {
  const ask = useRecentAuthentication();
  const queries = useQueryClient();
  const enter = async () => {
    if (await ask('mfa_required')) await queries.invalidateQueries({ queryKey: requestKey(id) });
  };
  return (
    <Button isSecondary onClick={() => void enter()}>
      {text.enterCode}
    </Button>
  );
}

/** Answering a request: one act opens the bar, another one confirms. Any change of the request closes it. */
import { Button } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { digestOf } from '../../../exact/arguments-digest.ts';
import { useOnline } from '../../../shell/online.ts';
import { accountQuery } from '../../../shell/session.ts';
import { useSingleKeys } from '../../../shell/single-keys.ts';
import { requests as text } from '../../../text/requests.ts';
import { ConfirmAnswer } from './confirm-answer.tsx';
import {
  bindingOf,
  decisionKey,
  useDecision,
  type AnswerableCall,
  type Intent,
} from './decision-data.ts';
import classes from './decide-bar.module.css';

export function DecideBar(props: AnswerableCall) {
  const { request } = props;
  const [armed, setArmed] = useState<{ readonly intent: Intent; readonly binding: string }>();
  const digest = useMemo(() => digestOf(request.arguments.text), [request.arguments.text]);
  const isSame = digest === request.arguments_digest;
  const binding = bindingOf(request, digest);
  const decision = useDecision();
  const { data: account } = useSuspenseQuery(accountQuery);
  const actor = account.principal.actor_id;
  const isOnline = useOnline();
  const isChanged = armed !== undefined && armed.binding !== binding && !decision.isPending;
  const messages = [
    ...(isSame ? [] : [text.notSame]),
    ...(isOnline ? [] : [text.offline]),
    ...(isChanged ? [text.changed] : []),
    ...(decision.isError ? [decision.error.message] : []),
    ...(decision.isPending ? [decision.failureCount > 0 ? text.unconfirmed : text.sending] : []),
  ];
  const confirm = (intent: Intent, note: string) => {
    const { id } = request;
    const seen = isSame ? digest : undefined;
    decision.mutate({ id, intent, note, digest: seen, key: decisionKey(id, intent), actor });
  };
  return (
    <section className={classes['bar']} aria-label={text.decide}>
      <div role="status" aria-live="polite" className={classes['message']}>
        {messages.join(' ')}
      </div>
      {armed && !isChanged ? (
        <ConfirmAnswer
          {...props}
          intent={armed.intent}
          isBusy={decision.isPending}
          isOnline={isOnline}
          confirm={(note) => {
            confirm(armed.intent, note);
          }}
          cancel={() => {
            decision.reset();
            setArmed(undefined);
          }}
        />
      ) : (
        <Choices
          canApprove={isSame && isOnline}
          canDeny={isOnline}
          choose={(intent) => {
            decision.reset();
            setArmed({ intent, binding });
          }}
        />
      )}
    </section>
  );
}

interface ChoicesProps {
  readonly canApprove: boolean;
  readonly canDeny: boolean;
  readonly choose: (intent: Intent) => void;
}

function Choices({ canApprove, canDeny, choose }: ChoicesProps) {
  const approve = () => {
    if (canApprove) choose('approved');
  };
  const deny = () => {
    if (canDeny) choose('denied');
  };
  useSingleKeys({ a: approve, d: deny });
  return (
    <div className={classes['choices']}>
      <Button disabled={!canApprove} onClick={approve}>
        {text.approve} <kbd className={classes['key']}>{text.approveKey}</kbd>
      </Button>
      <Button variant="default" disabled={!canDeny} onClick={deny}>
        {text.deny} <kbd className={classes['key']}>{text.denyKey}</kbd>
      </Button>
    </div>
  );
}

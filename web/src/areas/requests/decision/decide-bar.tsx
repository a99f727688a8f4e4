/** Deciding a request: one act opens the bar, another one confirms. Any change of the request closes it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { shownLine } from '../../../../../src/domain/shown-text.ts';
import { digestOf } from '../../../shared/exact/arguments-digest.ts';
import { useOnline } from '../../../shared/browser/online.ts';
import { accountQuery } from '../../../shared/session/session.ts';
import { areSingleKeysResting, useSingleKeys } from '../../../shared/browser/single-keys.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import type { RequestDetail } from '../requests-data.ts';
import {
  bindingOf,
  useDecide,
  useDecisionState,
  type DecidableCall,
  type DecisionState,
} from './decision-data.ts';
import { decisionKey, type Intent } from './decision-storage.ts';
import { ConfirmDecision } from './confirm-decision.tsx';
import keyClasses from '../key.module.css';
import classes from './decide-bar.module.css';

export function DecideBar(props: DecidableCall) {
  const { request, isReadable, unopened } = props;
  const { id } = request;
  const { digest, isSame, binding } = useBinding(request);
  const [armed, setArmed] = useState<{ readonly intent: Intent; readonly binding: string }>();
  const [cancelled, setCancelled] = useState<Intent>();
  const isOnline = useOnline();
  const state = useDecisionState(id);
  const { send, dismissRefusal } = useDecide(id);
  const { data: account } = useSuspenseQuery(accountQuery);
  const isChanged = armed !== undefined && armed.binding !== binding;
  const problems = [
    ...(isReadable ? [] : [text.unreadable]),
    ...unopenedText(unopened),
    ...(isSame ? [] : [text.notSame]),
    ...(isOnline ? [] : [text.offline]),
    ...(isChanged ? [text.changed] : []),
  ];
  const confirm = (intent: Intent, note: string) => {
    setArmed(undefined);
    send({
      ...{ id, intent, note },
      digest: isSame ? digest : undefined,
      key: decisionKey(id, intent),
      actor: account.principal.actor_id,
    });
  };
  const face = state.isSending ? 'sent' : armed && !isChanged ? 'armed' : 'choices';
  return (
    <Bar face={face} messages={[...(state.isSending ? [] : problems), ...messagesOf(state)]}>
      {face === 'armed' && armed && (
        <ConfirmDecision
          {...props}
          intent={armed.intent}
          isOnline={isOnline}
          confirm={(note) => {
            confirm(armed.intent, note);
          }}
          cancel={() => {
            setCancelled(armed.intent);
            setArmed(undefined);
          }}
        />
      )}
      {face === 'choices' && (
        <Choices
          canApprove={isSame && isReadable && isOnline && unopened.length === 0}
          canDeny={isOnline}
          focused={isChanged ? undefined : cancelled}
          choose={(intent) => {
            dismissRefusal();
            setCancelled(undefined);
            setArmed({ intent, binding });
          }}
        />
      )}
    </Bar>
  );
}

/** Names the first of the values that are not shown whole. Their pointers have an agent's words in them. */
function unopenedText([first, ...others]: DecidableCall['unopened']): string[] {
  return first ? [text.unopened(shownLine(first.pointer, 80), others.length)] : [];
}

/** Of the very text that was drawn. */
function useBinding(request: RequestDetail) {
  const source = request.arguments.text;
  const digest = useMemo(() => digestOf(source), [source]);
  const binding = useMemo(() => bindingOf(request, digest), [request, digest]);
  return { digest, isSame: digest === request.arguments_digest, binding };
}

/** What became of a decision that was sent. */
export function messagesOf({ isSending, sent, refusal }: DecisionState): string[] {
  if (isSending && sent?.phase === 'unconfirmed') return [text.unconfirmed[sent.intent]];
  if (isSending) return [text.sending];
  if (refusal) return [refusal.message];
  return sent ? [text.unknown[sent.intent]] : [];
}

interface BarProps {
  /** The buttons that had the focus go with the face they are part of. */
  readonly face: string;
  readonly messages: readonly string[];
  readonly children: ReactNode;
}

function Bar({ face, messages, children }: BarProps) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = bar.current;
    return () => {
      if (document.activeElement === document.body) element?.focus();
    };
  }, [face]);
  return (
    <section ref={bar} className={classes['bar']} aria-label={text.decide} tabIndex={-1}>
      <div role="status" aria-live="polite" className={classes['message']}>
        {messages.join(' ')}
      </div>
      {children}
    </section>
  );
}

interface ChoicesProps {
  readonly canApprove: boolean;
  readonly canDeny: boolean;
  /** The choice that was cancelled: its button has the focus again. */
  readonly focused: Intent | undefined;
  readonly choose: (intent: Intent) => void;
}

function Choices({ canApprove, canDeny, focused, choose }: ChoicesProps) {
  const approve = () => {
    if (canApprove) choose('approved');
  };
  const deny = () => {
    if (canDeny) choose('denied');
  };
  useSingleKeys({ a: approve, d: deny });
  /** By keyboard, another decision than the one that was cancelled needs the pause that its key needs. */
  const isTooSoon = (intent: Intent, { detail, timeStamp }: MouseEvent) =>
    detail === 0 && focused !== undefined && focused !== intent && areSingleKeysResting(timeStamp);
  return (
    <div className={classes['choices']}>
      <Button
        disabled={!canApprove}
        autoFocus={focused === 'approved'}
        onClick={(event) => {
          if (!isTooSoon('approved', event)) approve();
        }}
      >
        {text.approve} <kbd className={keyClasses['key']}>{text.approveKey}</kbd>
      </Button>
      <Button
        isSecondary
        disabled={!canDeny}
        autoFocus={focused === 'denied'}
        onClick={(event) => {
          if (!isTooSoon('denied', event)) deny();
        }}
      >
        {text.deny} <kbd className={keyClasses['key']}>{text.denyKey}</kbd>
      </Button>
    </div>
  );
}

/** What becomes of each invitation of a batch, with a stop and another try. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { useLeaving } from '../../../shared/browser/leaving.ts';
import { LeaveDialog } from '../../../shared/design/dialogs/leave-dialog.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import type { Offer } from './invitations-data.ts';
import type { Outcome } from './send-each.ts';
import { sending as text } from './text.ts';
import { isSettled, type Link, type SendingState } from './use-sending.ts';
import classes from './invitations.module.css';

interface SendingPanelProps {
  readonly sending: SendingState;
  readonly offer: Offer;
  /** Back to the form. */
  readonly onDone: () => void;
}

export function SendingPanel({ sending, offer, onDone }: SendingPanelProps) {
  const { outcomes, isRunning, links, error } = sending;
  const leaving = useLeaving(isRunning, { isKeptInPage: false });
  const left = [...outcomes].flatMap(([email, outcome]) => (isSettled(outcome) ? [] : [email]));
  const title = left.length === 0 ? text.doneTitle : text.partTitle;
  return (
    <Panel title={isRunning ? text.title : title}>
      <Progress sending={sending} />
      {error && (
        <p role="alert" className={classes['problem']}>
          {error.message}
        </p>
      )}
      <ul className={classes['outcomes']} aria-label={text.list}>
        {[...outcomes].map(([email, outcome]) => (
          <li key={email} data-outcome={outcome.kind}>
            <bdi>{email}</bdi>
            <span>{outcomeText(outcome)}</span>
          </li>
        ))}
      </ul>
      {!isRunning && links.length > 0 && <Links links={links} onStored={sending.forgetLinks} />}
      <Acts
        sending={sending}
        left={left}
        onRetry={() => {
          sending.start({ emails: left, offer });
        }}
        onDone={onDone}
      />
      <LeaveDialog leaving={leaving} title={text.leaveTitle} why={text.leaveWhy} />
    </Panel>
  );
}

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === 'failed' || outcome.kind === 'known') return outcome.message;
  if (outcome.kind === 'pausing') return text.pausing(outcome.seconds);
  return text.outcome[outcome.kind];
}

function Progress({ sending: { outcomes, isRunning } }: { readonly sending: SendingState }) {
  const kinds = [...outcomes.values()].map(({ kind }) => kind);
  const done = kinds.filter((kind) => ['sent', 'known', 'failed'].includes(kind)).length;
  const sent = kinds.filter((kind) => kind === 'sent').length;
  const label = text.progress(done, kinds.length);
  return (
    <div className={classes['progress']}>
      <progress max={kinds.length} value={done} aria-label={label} />
      <span aria-hidden="true">{label}</span>
      <p role="status">{!isRunning && text.summary(sent, kinds.length)}</p>
    </div>
  );
}

interface LinksProps {
  readonly links: readonly Link[];
  readonly onStored: () => void;
}

/** One link is shown alone. Several are lines with their addresses, ready for a table. */
function Links({ links, onStored }: LinksProps) {
  const [first] = links;
  const isOne = links.length === 1;
  return (
    <ShownOnce
      title={isOne ? text.linkOf(first?.email ?? '') : text.links(links.length)}
      secret={
        isOne ? (first?.url ?? '') : links.map(({ email, url }) => `${email}\t${url}`).join('\n')
      }
      ifLost={text.ifLost}
      onStored={onStored}
    >
      {() => <p>{text.sendLink}</p>}
    </ShownOnce>
  );
}

interface ActsProps {
  readonly sending: SendingState;
  readonly left: readonly string[];
  readonly onRetry: () => void;
  readonly onDone: () => void;
}

/** The button that had the focus is gone, so that the next one gets it. */
function Acts({ sending: { isRunning, links, stop }, left, onRetry, onDone }: ActsProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isStopping, setStopping] = useState(false);
  const hasLinks = !isRunning && links.length > 0;
  useEffect(() => {
    // The links take the focus by themselves.
    if (!hasLinks) button.current?.focus();
  }, [isRunning, hasLinks]);
  if (isRunning)
    return (
      <div className={classes['buttons']}>
        <Button
          ref={button}
          isSecondary
          aria-disabled={isStopping}
          onClick={() => {
            setStopping(true);
            stop();
          }}
        >
          {isStopping ? text.stopping : text.stop}
        </Button>
      </div>
    );
  // Another batch would hide links that no one has stored.
  if (hasLinks) return null;
  return (
    <div className={classes['buttons']}>
      {left.length > 0 && (
        <Button
          ref={button}
          onClick={() => {
            setStopping(false);
            onRetry();
          }}
        >
          {text.retry(left.length)}
        </Button>
      )}
      <Button
        ref={left.length > 0 ? undefined : button}
        isSecondary={left.length > 0}
        onClick={onDone}
      >
        {text.others}
      </Button>
    </div>
  );
}

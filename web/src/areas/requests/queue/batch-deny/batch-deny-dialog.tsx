/** Denies the selected requests: names each, takes one note, and shows what became of each. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../../shared/design/button.tsx';
import { Modal } from '../../../../shared/design/dialogs/modal.tsx';
import { ForeignText } from '../../../../shared/exact/foreign-text.tsx';
import { useOnline } from '../../../../shared/browser/online.ts';
import { queue as text } from '../../../../shared/text/queue.ts';
import { noteDraft } from '../../decision/decision-storage.ts';
import { NoteField, useNote } from '../../decision/note-field.tsx';
import { useSecondAct } from '../../decision/second-act.ts';
import type { Summary } from '../change-log.ts';
import { useBatchDeny, type BatchDeny } from './batch-deny-data.ts';
import type { Outcome } from './deny-each.ts';
import type { Selection } from './selection.ts';
import classes from './batch-deny-dialog.module.css';

interface BatchDenyDialogProps {
  readonly selection: Selection;
  readonly close: () => void;
}

export function BatchDenyDialog({ selection, close }: BatchDenyDialogProps) {
  const batch = useBatchDeny();
  /** What was confirmed. Until then, what is decided or changes leaves the list. */
  const [sent, setSent] = useState<readonly Summary[]>();
  const requests = sent ?? selection.selected;
  const leave = () => {
    if (batch.isRunning) return;
    const done = requests.filter(({ id }) => isSettled(batch.outcomes.get(id)));
    if (sent && done.length === sent.length) selection.end();
    else selection.deselect(done.map(({ id }) => id));
    close();
  };
  return (
    <Modal labelledBy="batch-deny" isWide onClose={leave}>
      <h2 id="batch-deny">
        {sent && !batch.isRunning ? text.doneTitle : text.title(requests.length)}
      </h2>
      {sent ? <Progress batch={batch} all={sent.length} /> : <p>{text.intro}</p>}
      <ul className={classes['requests']}>
        {requests.map((request) => (
          <Row key={request.id} request={request} outcome={batch.outcomes.get(request.id)} />
        ))}
      </ul>
      {sent ? (
        <SentActs batch={batch} leave={leave} />
      ) : (
        <Confirm
          selection={selection}
          cancel={leave}
          confirm={(note) => {
            setSent(requests);
            batch.start({ ids: requests.map(({ id }) => id), note });
          }}
        />
      )}
    </Modal>
  );
}

/** Nothing is left to do with it. */
const isSettled = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'denied' || outcome?.kind === 'decided';

interface RowProps {
  readonly request: Summary;
  readonly outcome: Outcome | undefined;
}

function Row({ request, outcome }: RowProps) {
  return (
    <li className={classes['request']} data-outcome={outcome?.kind}>
      <span className={classes['what']}>
        <strong className={classes['tool']}>
          <ForeignText text={request.tool} isName />
        </strong>
        {' · '}
        <ForeignText text={request.agent_name} isName />
      </span>
      <span className={classes['excerpt']}>
        <ForeignText text={request.excerpt} />
      </span>
      {outcome && (
        <span className={classes['outcome']}>
          <ForeignText text={outcomeText(outcome)} />
        </span>
      )}
    </li>
  );
}

function outcomeText(outcome: Outcome): string {
  const { sending, retrying, decided, ...others } = text.outcome;
  if (outcome.kind === 'failed') return outcome.message;
  if (outcome.kind === 'decided') return decided(outcome.status, outcome.by);
  if (outcome.kind === 'sending') return outcome.isRetry ? retrying : sending;
  return others[outcome.kind];
}

interface ConfirmProps {
  readonly selection: Selection;
  readonly cancel: () => void;
  readonly confirm: (note: string) => void;
}

function Confirm({ selection: { selected, dropped }, cancel, confirm }: ConfirmProps) {
  const note = useNote(BATCH);
  const isOnline = useOnline();
  const act = useSecondAct({
    isAllowed: selected.length > 0 && isOnline,
    confirm: () => {
      confirm(note.note);
    },
  });
  return (
    <div className={classes['confirm']} {...act.group}>
      <p role="status" className={classes['dropped']}>
        {dropped.length > 0 && text.dropped(dropped.length)}
      </p>
      <NoteField {...note} label={text.note} />
      <div className={classes['acts']}>
        <Button isSecondary onClick={cancel}>
          {text.cancel}
        </Button>
        <Button {...act.button}>{text.confirm(selected.length)}</Button>
      </div>
    </div>
  );
}

/** Where the note is kept, next to those of single requests. */
const BATCH = 'batch';

interface ProgressProps {
  readonly batch: BatchDeny;
  readonly all: number;
}

function Progress({ batch: { outcomes, isRunning, error }, all }: ProgressProps) {
  const kinds = [...outcomes.values()].map(({ kind }) => kind);
  const done = kinds.filter((kind) => kind !== 'waiting' && kind !== 'sending').length;
  const denied = kinds.filter((kind) => kind === 'denied').length;
  const left = [...outcomes.values()].filter((outcome) => !isSettled(outcome)).length;
  return (
    <div className={classes['progress']}>
      <progress max={all} value={done} aria-label={text.progress(done, all)} />
      <span aria-hidden="true">{text.progress(done, all)}</span>
      <p role={error ? 'alert' : 'status'} className={classes['summary']}>
        {error?.message} {!isRunning && text.denied(denied, all)}{' '}
        {!isRunning && left > 0 && text.stay(left)}
      </p>
    </div>
  );
}

interface SentActsProps {
  readonly batch: BatchDeny;
  readonly leave: () => void;
}

/** The button that had the focus is gone, so that the next one gets it. */
function SentActs({ batch: { isRunning, outcomes, stop }, leave }: SentActsProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isStopping, setStopping] = useState(false);
  const isOver = !isRunning && outcomes.size > 0;
  useEffect(() => {
    button.current?.focus();
  }, [isOver]);
  useEffect(() => {
    if (isOver && [...outcomes.values()].every(isSettled)) noteDraft.remove(BATCH);
  }, [isOver, outcomes]);
  return (
    <div className={classes['acts']}>
      {isOver ? (
        <Button ref={button} onClick={leave}>
          {text.close}
        </Button>
      ) : (
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
      )}
    </div>
  );
}

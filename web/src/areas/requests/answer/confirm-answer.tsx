/** The second act of an answer: names what would run, takes a note, and confirms. */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type MouseEvent } from 'react';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import { requests as text } from '../../../text/requests.ts';
import { noteDraft, type AnswerableCall, type Intent } from './decision-data.ts';
import classes from './confirm-answer.module.css';

interface ConfirmAnswerProps extends AnswerableCall {
  readonly intent: Intent;
  readonly isBusy: boolean;
  readonly isOnline: boolean;
  readonly confirm: (note: string) => void;
  readonly cancel: () => void;
}

/** A double tap is over by then, wherever its second touch lands. */
const SECOND_ACT_MS = 300;

function useDelayed(ms: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setOver(true);
    }, ms);
    return () => {
      clearTimeout(timer);
    };
  }, [ms]);
  return isOver;
}

export function ConfirmAnswer(props: ConfirmAnswerProps) {
  const { request, flags, intent, isBusy, isOnline, confirm, cancel } = props;
  const [note, setNote] = useState(() => noteDraft.read(request.id));
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
  }, []);
  useEffect(() => {
    const escape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && !isBusy) cancel();
    };
    addEventListener('keydown', escape);
    return () => {
      removeEventListener('keydown', escape);
    };
  });
  const isReady = useDelayed(SECOND_ACT_MS);
  const press = ({ detail }: MouseEvent) => {
    // The second click of a double click is no second act.
    if (detail <= 1 && !isBusy && isReady) confirm(note);
  };
  return (
    <div
      className={classes['armed']}
      data-intent={intent}
      role="group"
      aria-label={text.armed[intent]}
    >
      <What {...props} />
      <Flags flags={flags} />
      <Note
        note={note}
        isBusy={isBusy}
        change={(changed) => {
          setNote(changed);
          noteDraft.write(request.id, changed);
        }}
      />
      <div className={classes['confirm']}>
        <Button variant="default" disabled={isBusy} onClick={cancel}>
          {text.cancel}
        </Button>
        <Button
          ref={button}
          disabled={!isOnline}
          aria-busy={isBusy}
          aria-disabled={!isReady}
          onClick={press}
          onKeyDown={(event) => {
            // A held key is no second act.
            if (event.repeat) event.preventDefault();
          }}
        >
          {text.confirm[intent]}
        </Button>
      </div>
    </div>
  );
}

function Flags({ flags }: Pick<AnswerableCall, 'flags'>) {
  if (flags.length === 0) return null;
  return (
    <ul className={classes['flags']}>
      {flags.map((flag) => (
        <li key={flag}>
          <ForeignText text={flag} />
        </li>
      ))}
    </ul>
  );
}

function What({ request, mainValue, intent }: ConfirmAnswerProps) {
  return (
    <p className={classes['what']}>
      {text.armed[intent]}{' '}
      <strong className={classes['tool']}>
        <ForeignText text={request.tool} />
      </strong>
      {' · '}
      <ForeignText text={request.agent_name} />
      {mainValue !== undefined && (
        <>
          {' · '}
          <ForeignText text={mainValue} />
        </>
      )}
    </p>
  );
}

interface NoteProps {
  readonly note: string;
  readonly isBusy: boolean;
  readonly change: (note: string) => void;
}

function Note({ note, isBusy, change }: NoteProps) {
  return (
    <label className={classes['note']}>
      <span>{text.note}</span>
      <textarea
        rows={2}
        maxLength={4_000}
        value={note}
        disabled={isBusy}
        onChange={({ currentTarget }) => {
          change(currentTarget.value);
        }}
      />
    </label>
  );
}

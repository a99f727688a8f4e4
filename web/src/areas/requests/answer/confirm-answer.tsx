/** The second act of an answer: names what would run, takes a note, and confirms. */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { CutText } from '../../../exact/cut-text.tsx';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import { requests as text } from '../../../text/requests.ts';
import { FlagList } from '../call/flag-list.tsx';
import type { AnswerableCall } from './answer-data.ts';
import { noteDraft, type Intent } from './answer-storage.ts';
import { useSecondAct } from './second-act.ts';
import classes from './confirm-answer.module.css';

interface ConfirmAnswerProps extends AnswerableCall {
  readonly intent: Intent;
  readonly isOnline: boolean;
  readonly confirm: (note: string) => void;
  readonly cancel: () => void;
}

/** Escape closes only what is on top, and belongs to the field someone types in elsewhere. */
function isEscapeHere(event: KeyboardEvent, here: Element | null): boolean {
  const { key, target, isComposing, defaultPrevented } = event;
  if (key !== 'Escape' || isComposing || defaultPrevented) return false;
  if (document.querySelector('dialog[open]')) return false;
  const field = target instanceof Element ? target.closest('input, textarea, select') : null;
  return field === null || here?.contains(field) === true;
}

export function ConfirmAnswer(props: ConfirmAnswerProps) {
  const { request, flags, intent, isOnline, confirm, cancel } = props;
  const [note, setNote] = useState(() => noteDraft.read(request.id));
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const escape = (event: KeyboardEvent) => {
      if (isEscapeHere(event, group.current)) cancel();
    };
    addEventListener('keydown', escape);
    return () => {
      removeEventListener('keydown', escape);
    };
  });
  const secondAct = useSecondAct(() => {
    confirm(note);
  });
  return (
    <div
      ref={group}
      className={classes['armed']}
      data-intent={intent}
      role="group"
      aria-label={text.armed[intent]}
    >
      <div className={classes['read']}>
        <What {...props} />
        {flags.length > 0 && (
          <div className={classes['flags']}>
            <FlagList flags={flags} first={FIRST_FLAGS} />
          </div>
        )}
        <Note
          note={note}
          change={(changed) => {
            setNote(changed);
            noteDraft.write(request.id, changed);
          }}
        />
      </div>
      <div className={classes['buttons']}>
        <Button variant="default" onClick={cancel}>
          {text.cancel}
        </Button>
        <Button autoFocus disabled={!isOnline} {...secondAct}>
          {text.confirm[intent]}
        </Button>
      </div>
    </div>
  );
}

const FIRST_FLAGS = 4;

function What({ request, main, intent }: ConfirmAnswerProps) {
  return (
    <div className={classes['what']}>
      <p>
        {text.armed[intent]}{' '}
        <strong className={classes['tool']}>
          <CutText text={request.tool} />
        </strong>
        {request.server !== undefined && (
          <>
            {' '}
            {text.on} <CutText text={request.server} />
          </>
        )}{' '}
        {text.askedBy} <ForeignText text={request.agent_name} />
      </p>
      {main.map(({ label, source }, index) => (
        <p key={index} className={classes['main']}>
          <CutText text={label} />: <CutText text={source} />
        </p>
      ))}
    </div>
  );
}

interface NoteProps {
  readonly note: string;
  readonly change: (note: string) => void;
}

function Note({ note, change }: NoteProps) {
  return (
    <label className={classes['note']}>
      <span>{text.note}</span>
      <textarea
        rows={2}
        maxLength={4_000}
        value={note}
        onChange={({ currentTarget }) => {
          change(currentTarget.value);
        }}
      />
    </label>
  );
}

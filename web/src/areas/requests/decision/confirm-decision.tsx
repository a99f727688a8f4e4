/** The second act of a decision: names what would run, takes a note, and confirms. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'react';
import { parseDuration } from '../../../../../src/domain/durations.ts';
import { quotedInside } from '../../../../../src/platform/json/source-values.ts';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { Button } from '../../../shared/design/button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { cutKey } from '../../../shared/exact/cut-key.ts';
import { CutText } from '../../../shared/exact/cut-text.tsx';
import { TextWithSecrets } from '../../../shared/exact/hidden-value.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { TextBlock } from '../../../shared/exact/text-block.tsx';
import { exact as words } from '../../../shared/text/exact.ts';
import { accountQuery } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { CallTitle } from '../../../shared/call/call-title.tsx';
import { Scalar } from '../../../shared/call/field-value.tsx';
import { FlagList } from '../call/flag-list.tsx';
import type { TitlePart } from '../../../../../src/domain/shown/title.ts';
import type { Field, Main } from '../../../shared/call/presented-call.ts';
import type { DecidableCall } from './decision-data.ts';
import type { Intent } from './decision-storage.ts';
import { NoteField, useNote } from './note-field.tsx';
import { useSecondAct } from './second-act.ts';
import classes from './confirm-decision.module.css';

interface ConfirmDecisionProps extends DecidableCall {
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

export function ConfirmDecision(props: ConfirmDecisionProps) {
  const { request, main, title, flags, unrevealed, intent, isOnline, confirm, cancel } = props;
  const isTitled = isTitleShort(title);
  const note = useNote(request.id);
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
  const secondAct = useSecondAct({
    isAllowed: isOnline,
    confirm: () => {
      confirm(note.note);
    },
  });
  const what = useId();
  return (
    <div
      ref={group}
      className={classes['armed']}
      data-intent={intent}
      role="group"
      aria-label={text.armed[intent]}
      {...secondAct.group}
    >
      <What {...props} id={what} isTitled={isTitled} />
      <div className={classes['read']}>
        <MainValues main={isTitled ? unsaid(main, title) : main} />
        <OthersClaim request={request} />
        {intent === 'approved' && <UsableUntil request={request} />}
        {unrevealed > 0 && <p className={classes['hidden']}>{text.unrevealed(unrevealed)}</p>}
        {flags.length > 0 && (
          <div className={classes['flags']}>
            <FlagList flags={flags} first={FIRST_FLAGS} />
          </div>
        )}
      </div>
      <div className={classes['acts']}>
        <div className={classes['note']}>
          <NoteField {...note} label={text.note} describedBy={what} />
        </div>
        <div className={classes['buttons']}>
          <Button isSecondary onClick={cancel}>
            {text.cancel}
          </Button>
          <Button {...secondAct.button} className={classes['confirm']}>
            {text.confirm[intent]}
          </Button>
        </div>
      </div>
    </div>
  );
}

const FIRST_FLAGS = 3;
const INLINE_CHARACTERS = 160;

interface WhatProps extends ConfirmDecisionProps {
  readonly id: string;
  /** A long value has its place below. In the sentence it would hide which tool runs. */
  readonly isTitled: boolean;
}

/** What would run, named as the page does. */
function What({ id, request, title = [], isTitled, hidden, intent }: WhatProps) {
  const tool = (
    <span className={classes['tool']}>
      <CutText text={request.tool} />
    </span>
  );
  const { server } = request;
  return (
    <p id={id} className={classes['what']} tabIndex={0}>
      <strong>{text.decides[intent]}</strong>{' '}
      <strong>{isTitled ? <CallTitle title={title} hidden={hidden} /> : tool}</strong>?{' '}
      <ForeignText text={request.agent_name} isName /> {text.runs} {isTitled ? tool : text.it}
      {server !== undefined && (
        <>
          {' '}
          {text.on} <CutText text={server} />
        </>
      )}
      .
    </p>
  );
}

const isTitleShort = (title: DecidableCall['title']): boolean =>
  title?.[0] !== undefined && title.every(isShort);

const isShort = (part: TitlePart): boolean =>
  typeof part === 'string' ||
  part.kind === 'hidden' ||
  (part.source.length <= INLINE_CHARACTERS && !part.source.includes(String.raw`\n`));

/** What the sentence does not say. Of a list it names only the first items. */
function unsaid(main: readonly Main[], title: DecidableCall['title']): readonly Main[] {
  const said = new Set(
    (title ?? []).flatMap((part) =>
      typeof part === 'object' && 'offset' in part && part.size === 0 ? [part.offset] : [],
    ),
  );
  return main.filter(({ value }) => !said.has(value.offset));
}

/** An approval ends, and the window is a setting of the agent. */
function UsableUntil({ request }: Pick<ConfirmDecisionProps, 'request'>) {
  const now = useNowSeconds();
  const window = parseDuration(request.approval_window) ?? 0;
  const until = new Date(now * 1_000 + window).toISOString();
  return (
    <p>
      {text.usableIfApproved} <Instant at={until} as="clock" />.
    </p>
  );
}

/** Someone else may be about to decide it. */
function OthersClaim({ request: { claim } }: Pick<ConfirmDecisionProps, 'request'>) {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (!claim || claim.membership_id === account.principal.membership_id) return null;
  return (
    <p className={classes['claim']}>
      <ForeignText text={claim.display_name} /> {text.holdsClaim}.
    </p>
  );
}

function MainValues({ main }: Pick<ConfirmDecisionProps, 'main'>) {
  return main.map((each, index) => (
    <div key={index} className={classes['main']}>
      {each.kind === 'source' ? (
        <Argument {...each} />
      ) : (
        <>
          <CutText text={each.label} />: <MainText {...each} kind={each.kind} />
        </>
      )}
    </div>
  ));
}

/** The agent chose the key and the value. Both are source text, so that neither reads as words of ours. */
function Argument({ label, value, hidden }: Pick<Main, 'label' | 'value' | 'hidden'>) {
  const { shown, left } = cutKey(label);
  return (
    <>
      {text.argument}{' '}
      <code className={classes['source']}>
        <ForeignText text={shown} isSource isName />
      </code>
      {left > 0 && <small> {words.leftOut(left)}</small>}:{' '}
      <code className={classes['source']}>
        {value.kind === 'string' ? (
          <TextWithSecrets value={value} hidden={hidden} root="/arguments">
            {({ text: characters }) => (
              <ForeignText text={`"${quotedInside(characters)}"`} isSource isName />
            )}
          </TextWithSecrets>
        ) : (
          <ForeignText text={value.source} isSource isName />
        )}
      </code>
    </>
  );
}

const isLong = (characters: string): boolean =>
  characters.includes('\n') || characters.length > INLINE_CHARACTERS;

/** Text as its characters, with its line ends, and everything else as its source. */
function MainText({ kind, value, label, hidden }: Main & { readonly kind: Field['kind'] }) {
  if (value.kind === 'string' && isLong(value.characters))
    return (
      <TextWithSecrets value={value} hidden={hidden} root="/arguments">
        {({ text: characters, offset }) => <TextBlock text={characters} mono offset={offset} />}
      </TextWithSecrets>
    );
  return <Scalar kind={kind} value={value} label={label} hidden={hidden} />;
}

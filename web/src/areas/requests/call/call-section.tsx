/** What would run: the summary of a presentation, all arguments, the context, and last what the agent says. */
import { useId, useState } from 'react';
import { hiddenCount } from '../../../../../src/domain/shown/hidden.ts';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { CallSummary } from '../../../shared/call/call-summary.tsx';
import { HiddenValue } from '../../../shared/exact/hidden-value.tsx';
import { JsonView } from '../../../shared/exact/json-view.tsx';
import { TextBlock } from '../../../shared/exact/text-block.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import type { Call } from '../../../shared/call/presented-call.ts';
import type { RequestDetail } from '../requests-data.ts';
import classes from './call-section.module.css';

interface CallSectionProps {
  readonly request: RequestDetail;
  readonly whole: SourceValue | undefined;
  readonly context: SourceValue | undefined;
  readonly call: Call;
  /** No value is so long that a part of it is not shown at first. */
  readonly isShort: boolean;
}

export function CallSection({ request, whole, context, call, isShort }: CallSectionProps) {
  const isWithoutContext = !request.context || isEmptyObject(context);
  return (
    <>
      {call.presented && whole && (
        <CallSummary presented={call.presented} hidden={call.hidden} whole={whole} />
      )}
      <Arguments request={request} whole={whole} call={call} isShort={isShort} />
      {!isWithoutContext && (
        <section className={classes['part']}>
          <h2>{text.context}</h2>
          <p className={classes['hint']}>{text.contextHint}</p>
          <div className={classes['sheet']}>
            {context ? (
              <JsonView
                value={context}
                label={text.context}
                hidden={call.hiddenInContext}
                root="/context"
              />
            ) : (
              <Unread hint={text.noContext} source={request.context?.text ?? ''} />
            )}
          </div>
        </section>
      )}
      {request.agent_reasoning !== undefined && (
        <section className={classes['claim']}>
          <h2>{text.reasoning}</h2>
          <p className={classes['hint']}>{text.reasoningHint}</p>
          <TextBlock text={request.agent_reasoning} />
        </section>
      )}
    </>
  );
}

/** What the summary shows whole needs no second place: one line says how much it is, and opens it. */
function Arguments({ request, whole, call, isShort }: Omit<CallSectionProps, 'context'>) {
  const isSummedUp = call.presented?.leftOut === 0 && isShort && !isEmptyObject(whole);
  const [isFolded, setFolded] = useState(isSummedUp);
  const id = useId();
  return (
    <section className={classes['part']} aria-labelledby={id}>
      <div className={classes['head']}>
        <h2 id={id}>{text.arguments}</h2>
        {whole && !isEmptyObject(whole) && (
          <span className={classes['hint']}>
            {text.values(whole.leaves.length)} · SHA-256{' '}
            <code>{request.arguments_digest.slice(0, DIGEST_CHARACTERS)}…</code>
          </span>
        )}
        {isSummedUp && (
          <button
            type="button"
            className={classes['source']}
            aria-expanded={!isFolded}
            onClick={() => {
              setFolded(!isFolded);
            }}
          >
            {isFolded ? text.unfold : text.fold}
          </button>
        )}
      </div>
      {!isFolded && (
        <>
          <ArgumentsHint call={call} />
          <Sheet request={request} whole={whole} call={call} />
          {whole && <SourceText request={request} call={call} />}
        </>
      )}
    </section>
  );
}

const DIGEST_CHARACTERS = 12;

function Sheet({ request, whole, call }: Pick<CallSectionProps, 'request' | 'whole' | 'call'>) {
  if (isEmptyObject(whole)) return <p className={classes['hint']}>{text.noArguments}</p>;
  return (
    <div className={classes['sheet']}>
      {whole ? (
        <JsonView value={whole} label={text.arguments} hidden={call.hidden} root="/arguments" />
      ) : (
        <Unread hint={text.unreadArguments} source={request.arguments.text} />
      )}
    </div>
  );
}

function ArgumentsHint({ call: { presented, hidden } }: Pick<CallSectionProps, 'call'>) {
  const count = hiddenCount(hidden);
  if (!presented && count === 0) return null;
  return (
    <p className={classes['hint']}>
      {presented ? text.leftOut(presented.leftOut, count) : text.hiddenValues(count)}
    </p>
  );
}

/** The very text that is decided, and that the digest is of. */
function SourceText({ request, call }: Pick<CallSectionProps, 'request' | 'call'>) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <button
        type="button"
        className={classes['source']}
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.source}
      </button>
    );
  const source = <TextBlock text={request.arguments.text} mono />;
  return (
    <>
      <button
        type="button"
        className={classes['source']}
        aria-expanded
        onClick={() => {
          setOpen(false);
        }}
      >
        {text.sourceLess}
      </button>
      {hiddenCount(call.hidden) > 0 ? (
        <HiddenValue pointers={['/arguments']} action={text.sourceWithHidden}>
          {source}
        </HiddenValue>
      ) : (
        source
      )}
    </>
  );
}

const isEmptyObject = (value: SourceValue | undefined): boolean =>
  value?.kind === 'object' && value.size === 0;

/** A text that is no JSON, as it is. */
function Unread({ hint, source }: { readonly hint: string; readonly source: string }) {
  return (
    <>
      <p className={classes['hint']}>{hint}</p>
      <TextBlock text={source} mono />
    </>
  );
}

/** What would run: the summary of a presentation, all arguments, the context, and last what the agent says. */
import { useState } from 'react';
import { hiddenCount } from '../../../../../src/domain/shown/hidden.ts';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { HiddenValue } from '../../../shared/exact/hidden-value.tsx';
import { JsonView } from '../../../shared/exact/json-view.tsx';
import { TextBlock } from '../../../shared/exact/text-block.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import { CallTitle } from './call-title.tsx';
import { FieldValue, type FieldValueProps } from './field-value.tsx';
import type { Call, Presented } from './presented-call.ts';
import type { RequestDetail } from '../requests-data.ts';
import classes from './call-section.module.css';

interface CallSectionProps {
  readonly request: RequestDetail;
  readonly whole: SourceValue | undefined;
  readonly context: SourceValue | undefined;
  readonly call: Call;
}

export function CallSection({ request, whole, context, call }: CallSectionProps) {
  const isWithoutContext = !request.context || isEmptyObject(context);
  return (
    <>
      {call.presented && whole && (
        <Summary presented={call.presented} hidden={call.hidden} whole={whole} />
      )}
      <section className={classes['part']}>
        <h2>{text.arguments}</h2>
        <ArgumentsHint call={call} />
        {isEmptyObject(whole) ? (
          <p className={classes['hint']}>{text.noArguments}</p>
        ) : (
          <div className={classes['sheet']}>
            {whole ? (
              <JsonView
                value={whole}
                label={text.arguments}
                hidden={call.hidden}
                root="/arguments"
              />
            ) : (
              <Unread hint={text.unreadArguments} source={request.arguments.text} />
            )}
          </div>
        )}
        {whole && <SourceText request={request} call={call} />}
      </section>
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

interface SummaryProps extends Pick<Call, 'hidden'> {
  readonly presented: Presented;
  readonly whole: SourceValue;
}

function Summary({ presented, hidden, whole }: SummaryProps) {
  const bodies = presented.fields.filter(({ field }) => field.role === 'body');
  const rows = presented.fields.filter(({ field }) => field.role !== 'body');
  return (
    <section className={classes['part']}>
      {presented.title.length > 0 && (
        <h2 className={classes['title']}>
          <CallTitle title={presented.title} hidden={hidden} />
        </h2>
      )}
      {rows.length > 0 && (
        <dl className={classes['fields']}>
          {rows.map((row) => (
            <FieldRow
              key={`${row.field.path} ${row.field.label}`}
              {...row}
              whole={whole}
              hidden={hidden}
            />
          ))}
        </dl>
      )}
      {bodies.map((body) => (
        <div key={`${body.field.path} ${body.field.label}`} className={classes['body']}>
          <h3>
            <ForeignText text={body.field.label} />
          </h3>
          <FieldValue {...body} whole={whole} hidden={hidden} />
        </div>
      ))}
    </section>
  );
}

function FieldRow(props: FieldValueProps) {
  const { field } = props;
  return (
    <div className={classes['field']} data-role={field.role ?? 'secondary'}>
      <dt>
        <ForeignText text={field.label} />
      </dt>
      <dd>
        <FieldValue {...props} />
      </dd>
    </div>
  );
}

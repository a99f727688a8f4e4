/** What would run: the summary of a presentation, all arguments, the context, and last what the agent says. */
import { useMemo } from 'react';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import { JsonView } from '../../../exact/json-view.tsx';
import { readSource, type SourceValue } from '../../../exact/source-values.ts';
import { TextBlock } from '../../../exact/text-block.tsx';
import { requests as text } from '../../../text/requests.ts';
import { FieldValue } from './field-value.tsx';
import { sensitiveOffsets, type PresentedCall, type PresentedField } from './presented-call.ts';
import type { RequestDetail } from '../requests-data.ts';
import classes from './call-section.module.css';

interface CallSectionProps {
  readonly request: RequestDetail;
  readonly whole: SourceValue | undefined;
  readonly call: PresentedCall | undefined;
}

export function CallSection({ request, whole, call }: CallSectionProps) {
  const hidden = useMemo(() => sensitiveOffsets(call), [call]);
  const context = request.context && readSource(request.context.text);
  return (
    <>
      {call && whole && <Summary call={call} whole={whole} />}
      <section className={classes['part']}>
        <h2>{text.arguments}</h2>
        {call && <p className={classes['hint']}>{text.leftOut(call.leftOut)}</p>}
        {whole && whole.size > 0 ? (
          <div className={classes['sheet']}>
            <JsonView value={whole} label={text.arguments} hidden={hidden} />
          </div>
        ) : (
          <p className={classes['hint']}>{text.noArguments}</p>
        )}
      </section>
      {context && context.size > 0 && (
        <section className={classes['part']}>
          <h2>{text.context}</h2>
          <p className={classes['hint']}>{text.contextHint}</p>
          <div className={classes['sheet']}>
            <JsonView value={context} label={text.context} />
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

function Summary({ call, whole }: { readonly call: PresentedCall; readonly whole: SourceValue }) {
  const bodies = call.fields.filter(({ field }) => field.role === 'body');
  const rows = call.fields.filter(({ field }) => field.role !== 'body');
  return (
    <section className={classes['part']}>
      <h2 className={classes['title']}>
        {call.title.map((part, index) =>
          typeof part === 'string' ? (
            part
          ) : (
            <strong key={index}>
              <ForeignText text={part.kind === 'string' ? part.characters : part.source} />
            </strong>
          ),
        )}
      </h2>
      {rows.length > 0 && (
        <dl className={classes['fields']}>
          {rows.map((row) => (
            <FieldRow key={`${row.field.path} ${row.field.label}`} {...row} whole={whole} />
          ))}
        </dl>
      )}
      {bodies.map(({ field, value }) => (
        <div key={`${field.path} ${field.label}`} className={classes['body']}>
          <h3>{field.label}</h3>
          <FieldValue field={field} value={value} whole={whole} />
        </div>
      ))}
    </section>
  );
}

function FieldRow({ field, value, whole }: PresentedField & { readonly whole: SourceValue }) {
  return (
    <div className={classes['field']} data-role={field.role ?? 'secondary'}>
      <dt>{field.label}</dt>
      <dd>
        <FieldValue field={field} value={value} whole={whole} />
      </dd>
    </div>
  );
}

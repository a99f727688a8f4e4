/** What would run: the summary of a presentation, all arguments, the context, and last what the agent says. */
import { ForeignText } from '../../../exact/foreign-text.tsx';
import { JsonView } from '../../../exact/json-view.tsx';
import type { SourceValue } from '../../../exact/source-values.ts';
import { TextBlock } from '../../../exact/text-block.tsx';
import { requests as text } from '../../../text/requests.ts';
import { CallTitle } from './call-title.tsx';
import { FieldValue, type FieldValueProps } from './field-value.tsx';
import type { PresentedCall } from './presented-call.ts';
import type { RequestDetail } from '../requests-data.ts';
import classes from './call-section.module.css';

interface CallSectionProps {
  readonly request: RequestDetail;
  readonly whole: SourceValue | undefined;
  readonly context: SourceValue | undefined;
  readonly call: PresentedCall | undefined;
}

export function CallSection({ request, whole, context, call }: CallSectionProps) {
  const isWithoutContext = !request.context || isEmptyObject(context);
  return (
    <>
      {call && whole && <Summary call={call} whole={whole} />}
      <section className={classes['part']}>
        <h2>{text.arguments}</h2>
        {call && <p className={classes['hint']}>{text.leftOut(call.leftOut)}</p>}
        {isEmptyObject(whole) ? (
          <p className={classes['hint']}>{text.noArguments}</p>
        ) : (
          <div className={classes['sheet']}>
            {whole ? (
              <JsonView value={whole} label={text.arguments} sensitive={call?.sensitive} />
            ) : (
              <Unread hint={text.unreadArguments} source={request.arguments.text} />
            )}
          </div>
        )}
      </section>
      {!isWithoutContext && (
        <section className={classes['part']}>
          <h2>{text.context}</h2>
          <p className={classes['hint']}>{text.contextHint}</p>
          <div className={classes['sheet']}>
            {context ? (
              <JsonView value={context} label={text.context} />
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

function Summary({ call, whole }: { readonly call: PresentedCall; readonly whole: SourceValue }) {
  const bodies = call.fields.filter(({ field }) => field.role === 'body');
  const rows = call.fields.filter(({ field }) => field.role !== 'body');
  return (
    <section className={classes['part']}>
      <h2 className={classes['title']}>
        <CallTitle title={call.title} />
      </h2>
      {rows.length > 0 && (
        <dl className={classes['fields']}>
          {rows.map((row) => (
            <FieldRow
              key={`${row.field.path} ${row.field.label}`}
              {...row}
              whole={whole}
              sensitive={call.sensitive}
            />
          ))}
        </dl>
      )}
      {bodies.map((body) => (
        <div key={`${body.field.path} ${body.field.label}`} className={classes['body']}>
          <h3>
            <ForeignText text={body.field.label} />
          </h3>
          <FieldValue {...body} whole={whole} sensitive={call.sensitive} />
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

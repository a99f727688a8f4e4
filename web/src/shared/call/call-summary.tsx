/** What a presentation selects of a call: its fields in rows, and last its content. */
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';
import { ForeignText } from '../exact/foreign-text.tsx';
import { requests as text } from '../text/requests.ts';
import { FieldValue, type FieldValueProps } from './field-value.tsx';
import type { Call, CallField, Presented } from './presented-call.ts';
import classes from './call-summary.module.css';

interface SummaryProps extends Pick<Call, 'hidden'> {
  readonly presented: Presented;
  readonly whole: SourceValue;
}

export function CallSummary({ presented, hidden, whole }: SummaryProps) {
  const bodies = presented.fields.filter(({ field }) => field.role === 'body');
  const rows = withCurrency(presented.fields.filter(({ field }) => field.role !== 'body'));
  if (bodies.length + rows.length === 0) return null;
  return (
    <section className={classes['summary']} aria-label={text.summary}>
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

type RowField = CallField & { readonly currency?: CallField };

/** An amount and its currency are one row, where it is clear which currency is meant. */
function withCurrency(rows: readonly CallField[]): readonly RowField[] {
  const isAmount = ({ field, isHidden }: CallField) => field.kind === 'money' && !isHidden;
  const [currency, ...others] = rows.filter(({ field }) => /currency$/i.test(field.path));
  if (!currency || others.length > 0 || currency.isHidden || currency.value.size > 0) return rows;
  if (!rows.some(isAmount)) return rows;
  return rows
    .filter((row) => row !== currency)
    .map((row) => (isAmount(row) ? { ...row, currency } : row));
}

function FieldRow({ currency, ...props }: FieldValueProps & Pick<RowField, 'currency'>) {
  const { field } = props;
  return (
    <div className={classes['field']} data-role={field.role ?? 'secondary'}>
      <dt>
        <ForeignText text={field.label} />
      </dt>
      <dd>
        <FieldValue {...props} />
        {currency && (
          <>
            {' '}
            <FieldValue {...props} {...currency} />
          </>
        )}
      </dd>
    </div>
  );
}

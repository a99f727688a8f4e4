/** One value of a presentation, drawn as what it is. A value of another type is drawn as JSON. */
import { useState } from 'react';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import { HiddenValue } from '../../../exact/hidden-value.tsx';
import { JsonView } from '../../../exact/json-view.tsx';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { TextBlock } from '../../../exact/text-block.tsx';
import { exact as words } from '../../../text/exact.ts';
import { requests as text } from '../../../text/requests.ts';
import { DiffView } from './diff-view.tsx';
import type { Field, CallField } from './presented-call.ts';
import classes from './field-value.module.css';

export interface FieldValueProps extends CallField {
  readonly whole: SourceValue;
  /** Where values begin that stay hidden until a reader asks. */
  readonly hidden: ReadonlySet<number>;
}

export function FieldValue(props: FieldValueProps) {
  const { field, isHidden, hidden, whole } = props;
  if (!isHidden) return <Drawn {...props} />;
  const { path, before, after } = field;
  const pointers = [path, before, after].flatMap((pointer) =>
    pointer !== undefined && whole.at(pointer) ? [`${ARGUMENTS}${pointer}`] : [],
  );
  return (
    <HiddenValue pointers={pointers} label={field.label}>
      <Drawn {...props} hidden={withoutPartsOf(hidden, props.value)} />
    </HiddenValue>
  );
}

const ARGUMENTS = '/arguments';

/** A field that was revealed has all of its value. */
const withoutPartsOf = (hidden: ReadonlySet<number>, { offset, length }: SourceValue) =>
  new Set([...hidden].filter((at) => at < offset || at >= offset + length));

function Drawn({ field, value, whole, hidden }: Omit<FieldValueProps, 'isHidden'>) {
  if (field.kind === 'diff') return <DiffView field={field} value={value} whole={whole} />;
  if (field.kind === 'list' && value.kind === 'array') return <List field={field} value={value} />;
  if (field.kind === 'table' && value.kind === 'array')
    return <Table field={field} value={value} />;
  return <Scalar kind={field.kind} value={value} label={field.label} hidden={hidden} />;
}

/** Lists, tables and changes are drawn whole or not at all. */
const NOTHING: ReadonlySet<number> = new Set();

/** Text as its characters, everything else as its source, so that no digit changes. */
export function Scalar({
  kind,
  value,
  label,
  hidden = NOTHING,
}: {
  readonly kind: Field['kind'];
  readonly value: SourceValue;
  readonly label: string;
  readonly hidden?: ReadonlySet<number>;
}) {
  if (value.kind === 'object' || value.kind === 'array' || kind === 'json')
    return <JsonView value={value} label={label} hidden={hidden} root={ARGUMENTS} />;
  if (value.kind !== 'string')
    return (
      <span className={classes['number']}>
        <ForeignText text={value.source} />
      </span>
    );
  const { characters } = value;
  const isCode = kind === 'code' || kind === 'command';
  if (isCode || kind === 'multiline' || characters.length > 200 || characters.includes('\n'))
    return <TextBlock text={characters} mono={isCode} offset={value.offset} />;
  if (characters === '') return <em>{words.emptyText}</em>;
  return (
    <span className={classes[kind === 'path' || kind === 'url' ? 'mono' : 'text']}>
      <ForeignText text={characters} />
    </span>
  );
}

const FIRST_ROWS = 50;

function List({ field, value }: Pick<CallField, 'field' | 'value'>) {
  const [isWhole, setWhole] = useState(false);
  const items = isWhole ? value.items : value.items.slice(0, FIRST_ROWS);
  return (
    <>
      <ol className={classes['list']}>
        {items.map((item, index) => (
          <li key={index}>
            <Scalar kind={field.item?.kind ?? 'json'} value={item} label={field.label} />
          </li>
        ))}
      </ol>
      {items.length < value.size && (
        <AllRows
          rows={value.size}
          show={() => {
            setWhole(true);
          }}
        />
      )}
    </>
  );
}

function AllRows({ rows, show }: { readonly rows: number; readonly show: () => void }) {
  return (
    <button type="button" className={classes['reveal']} onClick={show}>
      {text.allRows(rows)}
    </button>
  );
}

function Table({ field, value }: Pick<CallField, 'field' | 'value'>) {
  const [isWhole, setWhole] = useState(false);
  const columns = field.item?.fields ?? [];
  if (columns.length === 0 || value.items.some(({ kind }) => kind !== 'object'))
    return <JsonView value={value} label={field.label} />;
  const rows = isWhole ? value.items : value.items.slice(0, FIRST_ROWS);
  return (
    // A wide table scrolls by itself, and must be reachable by keyboard.
    <div className={classes['scroller']} role="group" aria-label={field.label} tabIndex={0}>
      <table className={classes['table']}>
        <thead>
          <tr>
            {columns.map(({ path, label }) => (
              <th key={path} scope="col">
                <ForeignText text={label} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map(({ path, kind, label }) => {
                const cell = row.at(path);
                return (
                  <td key={path}>{cell && <Scalar kind={kind} value={cell} label={label} />}</td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < value.size && (
        <AllRows
          rows={value.size}
          show={() => {
            setWhole(true);
          }}
        />
      )}
    </div>
  );
}

/** One value of a presentation, drawn as what it is. A value of another type is drawn as JSON. */
import { lazy, Suspense, useState } from 'react';
import { loadPart } from '../browser/new-build.ts';
import { ExactNumber } from '../exact/exact-number.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import type { Hidden } from '../../../../src/domain/shown/hidden.ts';
import { HiddenValue, TextWithSecrets } from '../exact/hidden-value.tsx';
import { JsonView } from '../exact/json-view.tsx';
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';
import { TextBlock } from '../exact/text-block.tsx';
import { exact as words } from '../text/exact.ts';
import { requests as text } from '../text/requests.ts';
import { session } from '../text/session.ts';
import type { Field, CallField } from './presented-call.ts';
import classes from './field-value.module.css';

// Comparing texts takes code that most calls do not need.
const DiffView = lazy(async () => {
  const { DiffView: component } = await loadPart(() => import('./diff-view.tsx'));
  return { default: component };
});

export interface FieldValueProps extends CallField {
  readonly whole: SourceValue;
  /** What stays hidden until a reader asks. */
  readonly hidden: Hidden;
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
function withoutPartsOf({ values, parts }: Hidden, { offset, length }: SourceValue): Hidden {
  const isOutside = (at: number) => at < offset || at >= offset + length;
  return {
    values: new Set([...values].filter(isOutside)),
    parts: new Map([...parts].filter(([at]) => isOutside(at))),
  };
}

function Drawn({ field, value, whole, hidden }: Omit<FieldValueProps, 'isHidden'>) {
  if (field.kind === 'diff')
    return (
      <Suspense fallback={session.loading}>
        <DiffView field={field} value={value} whole={whole} />
      </Suspense>
    );
  if (field.kind === 'list' && field.item === undefined && isOfOneKind(value))
    return <JsonView value={value} label={field.label} hidden={hidden} root={ARGUMENTS} />;
  if (value.kind === 'array' && (field.kind === 'list' || isPlainList(field, value, hidden)))
    return <List field={field} value={value} hidden={hidden} />;
  if (field.kind === 'table' && value.kind === 'array')
    return <Table field={field} value={value} hidden={hidden} />;
  return <Scalar kind={field.kind} value={value} label={field.label} hidden={hidden} />;
}

const MANY_NUMBERS = 6;

/** Objects, or many numbers, which JSON draws as a table or in rows. */
const isOfOneKind = ({ kind, size, items }: SourceValue): boolean =>
  kind === 'array' &&
  size > 1 &&
  (items.every((item) => item.kind === 'object') ||
    (size >= MANY_NUMBERS && items.every((item) => item.kind === 'number')));

/** A list where a presentation expects one value, such as recipients: one row for each, unless one of them is hidden. */
const isPlainList = ({ kind }: Field, { size, items }: SourceValue, { values }: Hidden): boolean =>
  size > 0 &&
  !['json', 'table'].includes(kind) &&
  items.every((item) => item.size === 0 && !values.has(item.offset));

interface ScalarProps {
  readonly kind: Field['kind'];
  readonly value: SourceValue;
  readonly label: string;
  readonly hidden: Hidden;
}

/** Text as its characters, everything else as its source, so that no digit changes. */
export function Scalar({ kind, value, label, hidden }: ScalarProps) {
  if (value.kind === 'object' || value.kind === 'array' || kind === 'json')
    return <JsonView value={value} label={label} hidden={hidden} root={ARGUMENTS} />;
  if (value.kind !== 'string')
    return (
      <span className={classes['number']}>
        <ExactNumber source={value.source} />
      </span>
    );
  return (
    <TextWithSecrets value={value} hidden={hidden} root={ARGUMENTS}>
      {(drawn) => <Text {...drawn} kind={kind} />}
    </TextWithSecrets>
  );
}

interface TextProps extends Pick<ScalarProps, 'kind'> {
  readonly text: string;
  readonly offset?: number;
}

function Text({ kind, text, offset }: TextProps) {
  const isCode = kind === 'code' || kind === 'command';
  if (isCode || kind === 'multiline' || text.length > 200 || text.includes('\n'))
    return <TextBlock text={text} mono={isCode} isCommand={kind === 'command'} offset={offset} />;
  if (text === '') return <em>{words.emptyText}</em>;
  if (kind === 'money' || kind === 'number')
    return (
      <span className={classes['number']}>
        <ExactNumber source={text} />
      </span>
    );
  return (
    <span className={classes[kind === 'path' || kind === 'url' ? 'mono' : 'text']}>
      <ForeignText text={text} />
    </span>
  );
}

const FIRST_ROWS = 50;

type ItemsProps = Pick<FieldValueProps, 'field' | 'value' | 'hidden'>;

function List({ field, value, hidden }: ItemsProps) {
  const [isWhole, setWhole] = useState(false);
  const items = isWhole ? value.items : value.items.slice(0, FIRST_ROWS);
  return (
    <>
      <ol className={classes['list']}>
        {items.map((item, index) => (
          <li key={index}>
            <Scalar
              kind={field.item?.kind ?? (field.kind === 'list' ? 'json' : field.kind)}
              value={item}
              label={field.label}
              hidden={hidden}
            />
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

function Table({ field, value, hidden }: ItemsProps) {
  const [isWhole, setWhole] = useState(false);
  const columns = field.item?.fields ?? [];
  if (columns.length === 0 || value.items.some(({ kind }) => kind !== 'object'))
    return <JsonView value={value} label={field.label} hidden={hidden} root={ARGUMENTS} />;
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
                  <td key={path}>
                    {cell && <Scalar kind={kind} value={cell} label={label} hidden={hidden} />}
                  </td>
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

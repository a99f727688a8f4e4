/** One line of JSON: a value, the beginning or the end of a container, or several items of a list. */
import type { CSSProperties, ReactNode } from 'react';
import { NOTHING_HIDDEN, type Hidden } from '../../../../../src/domain/shown/hidden.ts';
import {
  decodedSource,
  quotedInside,
  type SourceValue,
} from '../../../../../src/platform/json/source-values.ts';
import { exact as words } from '../../text/exact.ts';
import { ForeignText } from '../foreign-text.tsx';
import { HiddenValue, TextWithSecrets } from '../hidden-value.tsx';
import { TextBlock } from '../text-block.tsx';
import { indentOf, type JsonRow as Line } from './json-outline.ts';
import classes from './json-row.module.css';

export interface RowContext {
  readonly hidden: Hidden;
  /** Where the outermost value is in the request: `/arguments` or `/context`. */
  readonly root: string;
  /** Folds the container that begins there, or opens it again. Undefined where nothing is so long. */
  readonly fold: ((offset: number) => void) | undefined;
}

/** Longer strings, and those of several lines, are separate blocks. */
const INLINE_CHARACTERS = 200;

interface JsonRowProps {
  readonly row: Line;
  readonly context: RowContext;
  /** Here is what a search found: its number in the tree. */
  readonly found: number | undefined;
}

export function JsonRow({ row, context, found }: JsonRowProps) {
  const { steps, level } = indentOf(row.depth);
  return (
    <div
      className={classes['row']}
      style={{ '--steps': steps } as CSSProperties}
      data-found={(found !== undefined && row.part !== 'records') || undefined}
      data-part={row.part}
    >
      {level !== undefined && <span className={classes['level']}>{words.level(level)}</span>}
      {row.keySource !== undefined && <Key source={row.keySource} />}
      <Part row={row} context={context} found={found} />
    </div>
  );
}

function Key({ source }: { readonly source: string }) {
  if (source.length > INLINE_CHARACTERS)
    return (
      <div className={classes['key']}>
        <TextBlock text={decodedSource(source)} mono />
      </div>
    );
  return (
    <span className={classes['key']}>
      <ForeignText text={decodedSource(source)} isSource />
      {': '}
    </span>
  );
}

function Part({ row, context, found }: JsonRowProps): ReactNode {
  const { part, value } = row;
  const isList = value.kind === 'array';
  switch (part) {
    case 'value':
      return <Value value={value} {...context} />;
    case 'hidden':
      return <Whole value={value} root={context.root} />;
    case 'open':
    case 'folded':
      return <Opening row={row} context={context} />;
    case 'close':
      return isList ? ']' : '}';
    case 'numbers':
      return <Numbers row={row} />;
    case 'records':
      return <Records row={row} context={context} found={found} />;
  }
}

/** The outermost value has nothing around it that would stay. */
function Opening({ row, context: { fold } }: Omit<JsonRowProps, 'found'>) {
  const { part, value, depth, keySource } = row;
  const isList = value.kind === 'array';
  const isFolded = part === 'folded';
  const [open, close] = isList ? '[]' : '{}';
  const size = isList ? words.items(value.size) : words.members(value.size);
  return (
    <>
      <span>
        {open}
        {isFolded && ` … ${close}`}
      </span>
      {fold && depth > 0 ? (
        <button
          type="button"
          className={classes['fold']}
          aria-expanded={!isFolded}
          onClick={() => {
            fold(value.offset);
          }}
        >
          {size}
          {keySource !== undefined && (
            <span className="visually-hidden">
              {' '}
              {words.inKey} <ForeignText text={decodedSource(keySource)} isSource />
            </span>
          )}
        </button>
      ) : (
        <span className={classes['size']}>{size}</span>
      )}
    </>
  );
}

interface ValueProps {
  readonly value: SourceValue;
  readonly hidden: Hidden;
  readonly root: string;
}

/** A hidden value: a press shows all of it. */
function Whole({ value, root, label }: Omit<ValueProps, 'hidden'> & { readonly label?: string }) {
  return (
    <HiddenValue
      pointers={[`${root}${value.pointer}`]}
      {...(label !== undefined && { label: decodedSource(label) })}
    >
      {value.size > 0 ? (
        <TextBlock text={value.source} mono offset={value.offset} />
      ) : (
        <Value value={value} hidden={NOTHING_HIDDEN} root={root} />
      )}
    </HiddenValue>
  );
}

function Value({ value, hidden, root }: ValueProps) {
  const { kind, source } = value;
  if (kind !== 'string')
    return (
      <span className={classes[kind]}>
        <ForeignText text={source} isSource />
      </span>
    );
  return (
    <TextWithSecrets value={value} hidden={hidden} root={root}>
      {({ text, offset }) =>
        text.length > INLINE_CHARACTERS || text.includes('\n') ? (
          <TextBlock text={text} mono offset={offset} />
        ) : (
          <span className={classes['string']}>
            <ForeignText text={`"${quotedInside(text)}"`} isSource />
          </span>
        )
      }
    </TextWithSecrets>
  );
}

function Numbers({ row: { items, first } }: { readonly row: Line }) {
  return (
    <>
      <span className={classes['place']}>{words.itemsFrom(first, first + items.length - 1)}</span>
      {items.map((item, index) => (
        <span key={item.offset}>
          {index > 0 && ', '}
          <span className={classes['number']}>
            <ForeignText text={item.source} isSource />
          </span>
        </span>
      ))}
    </>
  );
}

/** All have the same keys. A long list has several such tables, one after the other. */
function Records({ row: { items, first }, context, found = -1 }: JsonRowProps) {
  const foundIndex = items.findLastIndex(({ node }) => node <= found);
  const keys = items[0]?.members.map(({ keySource }) => keySource) ?? [];
  return (
    <table className={classes['records']}>
      <thead>
        <tr>
          <th scope="col" className={classes['position']}>
            {words.item}
          </th>
          {keys.map((key) => (
            <th key={key} scope="col" className={classes['key']}>
              <ForeignText text={decodedSource(key)} isSource />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((record, index) => (
          <tr key={record.offset} data-found={index === foundIndex || undefined}>
            <th scope="row" className={classes['position']}>
              {first + index}
            </th>
            {record.members.map(({ value, keySource }) => (
              <td key={keySource} data-kind={value.kind}>
                {context.hidden.values.has(value.offset) ? (
                  <Whole value={value} root={context.root} label={keySource} />
                ) : (
                  <Value value={value} hidden={context.hidden} root={context.root} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

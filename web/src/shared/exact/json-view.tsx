/** JSON as it was sent, line by line. Of long values only the visible lines are in the page. */
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, type CSSProperties } from 'react';
import { exact as words } from '../text/exact.ts';
import { ForeignText } from './foreign-text.tsx';
import { NOTHING_HIDDEN, type Hidden } from '../../../../src/domain/shown/hidden.ts';
import { HiddenValue, TextWithSecrets } from './hidden-value.tsx';
import { indentOf, rowsOf, type JsonRow } from './json-rows.ts';
import classes from './json-view.module.css';
import {
  decodedSource,
  quotedInside,
  type SourceValue,
} from '../../../../src/platform/json/source-values.ts';
import { TextBlock } from './text-block.tsx';

/** Up to here, all lines are in the page, so that searching in the page and printing find them. */
const ALL_ROWS = 300;
/** On a phone, a box that scrolls inside a page that scrolls hides lines: only the longest values get one. */
const ALL_ROWS_NARROW = 2_000;
const NARROW = '(max-width: 64em)';
const ROW_PIXELS = 22;
/** Longer strings, and those of several lines, are blocks of their own. */
const INLINE_CHARACTERS = 200;

interface JsonViewProps {
  readonly value: SourceValue;
  readonly label: string;
  /** What is drawn only when a reader asks. */
  readonly hidden?: Hidden;
  /** Where the outermost value is in the request: `/arguments` or `/context`. */
  readonly root?: string;
}

export function JsonView({ value, label, hidden = NOTHING_HIDDEN, root = '' }: JsonViewProps) {
  const rows = useMemo(() => rowsOf(value, hidden), [value, hidden]);
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  if (rows.length > (isNarrow ? ALL_ROWS_NARROW : ALL_ROWS))
    return <LongJson rows={rows} label={label} hidden={hidden} root={root} />;
  return (
    <div className={classes['json']} role="group" aria-label={label}>
      {rows.map((row, index) => (
        <Row key={index} row={row} hidden={hidden} root={root} />
      ))}
    </div>
  );
}

interface LongJsonProps {
  readonly rows: readonly JsonRow[];
  readonly label: string;
  readonly hidden: Hidden;
  readonly root: string;
}

function LongJson({ rows, label, hidden, root }: LongJsonProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // The compiler of React cannot memoize what the virtualizer returns, and nothing here needs that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 10,
  });
  return (
    <>
      <p className={classes['hint']}>{words.scrolls(rows.length)}</p>
      {/* A scrolled region must be reachable by keyboard. */}
      <div
        ref={scroller}
        className={classes['scroller']}
        role="group"
        aria-label={label}
        tabIndex={0}
      >
        <div
          className={classes['json']}
          style={{ height: lines.getTotalSize(), position: 'relative' }}
        >
          {lines.getVirtualItems().map(({ key, index, start }) => {
            const row = rows[index];
            return (
              row && (
                <div
                  key={key}
                  ref={lines.measureElement}
                  data-index={index}
                  className={classes['placed']}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Row row={row} hidden={hidden} root={root} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

interface RowProps {
  readonly row: JsonRow;
  readonly hidden: Hidden;
  readonly root: string;
}

function Row({ row, hidden, root }: RowProps) {
  const { depth, keySource, part, value } = row;
  const isList = value.kind === 'array';
  const { steps, level } = indentOf(depth);
  return (
    <div className={classes['row']} style={{ '--steps': steps } as CSSProperties}>
      {level !== undefined && <span className={classes['level']}>{words.level(level)}</span>}
      {keySource !== undefined && (
        <span className={classes['key']}>
          <ForeignText text={decodedSource(keySource)} isSource />
          {': '}
        </span>
      )}
      {part === 'open' && <span>{isList ? '[' : '{'}</span>}
      {part === 'close' && <span>{isList ? ']' : '}'}</span>}
      {part === 'value' && <Value value={value} hidden={hidden} root={root} />}
      {part === 'hidden' && <Whole value={value} root={root} />}
      {part === 'open' && (
        <span className={classes['size']}>
          {isList ? words.items(value.size) : words.members(value.size)}
        </span>
      )}
    </div>
  );
}

interface ValueProps {
  readonly value: SourceValue;
  readonly hidden: Hidden;
  readonly root: string;
}

/** A hidden value: a press shows all of it. */
function Whole({ value, root }: Omit<ValueProps, 'hidden'>) {
  return (
    <HiddenValue pointers={[`${root}${value.pointer}`]}>
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

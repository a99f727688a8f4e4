/** JSON as it was sent, line by line. Of long values only the visible lines are in the page. */
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, type CSSProperties } from 'react';
import { exact as words } from '../text/exact.ts';
import { ForeignText } from './foreign-text.tsx';
import { HiddenValue } from './hidden-value.tsx';
import { indentOf, rowsOf, type JsonRow } from './json-rows.ts';
import classes from './json-view.module.css';
import { decodedSource, type SourceValue } from '../../../src/platform/json/source-values.ts';
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
  /** Where values begin that are drawn only when a reader asks. */
  readonly hidden?: ReadonlySet<number>;
  /** Where the outermost value is in the request: `/arguments` or `/context`. */
  readonly root?: string;
}

const NOTHING: ReadonlySet<number> = new Set();

export function JsonView({ value, label, hidden = NOTHING, root = '' }: JsonViewProps) {
  const rows = useMemo(() => rowsOf(value, hidden), [value, hidden]);
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  if (rows.length > (isNarrow ? ALL_ROWS_NARROW : ALL_ROWS))
    return <LongJson rows={rows} label={label} root={root} />;
  return (
    <div className={classes['json']} role="group" aria-label={label}>
      {rows.map((row, index) => (
        <Row key={index} row={row} root={root} />
      ))}
    </div>
  );
}

interface LongJsonProps {
  readonly rows: readonly JsonRow[];
  readonly label: string;
  readonly root: string;
}

function LongJson({ rows, label, root }: LongJsonProps) {
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
                  <Row row={row} root={root} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

function Row({ row, root }: { readonly row: JsonRow; readonly root: string }) {
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
      {part === 'value' && <Value value={value} />}
      {part === 'hidden' && <Hidden value={value} root={root} />}
      {part === 'open' && (
        <span className={classes['size']}>
          {isList ? words.items(value.size) : words.members(value.size)}
        </span>
      )}
    </div>
  );
}

function Hidden({ value, root }: { readonly value: SourceValue; readonly root: string }) {
  return (
    <HiddenValue pointers={[`${root}${value.pointer}`]}>
      {value.size > 0 ? (
        <TextBlock text={value.source} mono offset={value.offset} />
      ) : (
        <Value value={value} />
      )}
    </HiddenValue>
  );
}

function Value({ value }: { readonly value: SourceValue }) {
  const { kind, source, offset } = value;
  if (kind === 'string' && (source.length > INLINE_CHARACTERS || value.characters.includes('\n')))
    return <TextBlock text={value.characters} mono offset={offset} />;
  return (
    <span className={classes[kind]}>
      <ForeignText text={decodedSource(source)} isSource />
    </span>
  );
}

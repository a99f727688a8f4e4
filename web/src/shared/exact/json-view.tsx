/** JSON as it was sent, line by line. Of long values only the visible lines are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { BREAKPOINTS } from '../design/breakpoints.ts';
import { NOTHING_HIDDEN, type Hidden } from '../../../../src/domain/shown/hidden.ts';
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';
import { useMediaQuery } from '../browser/media-query.ts';
import { loadPart } from '../browser/new-build.ts';
import { exact as words } from '../text/exact.ts';
import {
  aroundOf,
  drawsMore,
  outlineOf,
  rowAt,
  rowOf,
  topContainers,
  type Outline,
} from './json/json-outline.ts';
import { JsonRow, type RowContext } from './json/json-row.tsx';
import classes from './json-view.module.css';

// Only big values need its code.
const JsonTools = lazy(async () => {
  const { JsonTools: component } = await loadPart(() => import('./json/json-tools.tsx'));
  return { default: component };
});

/**
 * Up to so many, all values are in the page, so that searching in the page and printing find them. More would cost their reader
 * much more than a usual request does, and an agent decides how many it sends.
 */
const ALL_VALUES = 300;
/** Wider tables would scroll to the side. */
const PHONE_COLUMNS = 2;
const ROW_PIXELS = 22;
const TABLE_PIXELS = 450;
const OVERSCAN = 4;
/** A table is as high as most of the box. */
const TABLE_OVERSCAN = 1;

interface JsonViewProps {
  readonly value: SourceValue;
  readonly label: string;
  /** What is drawn only when a reader asks. */
  readonly hidden?: Hidden;
  /** Where the outermost value is in the request: `/arguments` or `/context`. */
  readonly root?: string;
}

export function JsonView({ value, label, hidden = NOTHING_HIDDEN, root = '' }: JsonViewProps) {
  const [folded, setFolded] = useState(NOTHING_FOLDED);
  const [found, setFound] = useState<number>();
  const isBig = useMemo(() => isBigValue(value), [value]);
  const isPhone = useMediaQuery(BREAKPOINTS.phone);
  const whole = useMemo(
    () => outlineOf(value, { hidden, ...(isPhone && { mostColumns: PHONE_COLUMNS }) }),
    [value, hidden, isPhone],
  );
  const outline = useMemo(
    () =>
      folded.size === 0
        ? whole
        : outlineOf(value, { hidden, folded, ...(isPhone && { mostColumns: PHONE_COLUMNS }) }),
    [whole, value, hidden, folded, isPhone],
  );
  const rows: RowsProps = {
    ...{ outline, label },
    found,
    foundRow: found === undefined ? undefined : rowOf(outline, found),
    context: {
      ...{ hidden, root },
      fold: isBig
        ? (offset) => {
            setFolded(
              folded.has(offset) ? without(folded, [offset]) : new Set([...folded, offset]),
            );
          }
        : undefined,
    },
  };
  // The box stays what it is while its lines are folded, and keeps the focus.
  const isLong = useMemo(() => drawsMore(whole, ALL_VALUES), [whole]);
  const tops = topContainers(value);
  return (
    <>
      {isBig && (
        <Suspense fallback={<div className={classes['toolsRoom']} />}>
          <JsonTools
            {...{ value, hidden, root, label }}
            isFolded={folded.size > 0}
            foldAll={
              tops.length === 0
                ? undefined
                : () => {
                    setFolded(folded.size > 0 ? NOTHING_FOLDED : new Set(tops));
                  }
            }
            show={(node) => {
              setFound(node);
              if (node !== undefined) setFolded(without(folded, aroundOf(value.tree, node)));
            }}
          />
        </Suspense>
      )}
      {isLong ? <LongJson {...rows} /> : <ShortJson {...rows} />}
    </>
  );
}

const NOTHING_FOLDED: ReadonlySet<number> = new Set();

const without = (folded: ReadonlySet<number>, offsets: readonly number[]): ReadonlySet<number> =>
  new Set([...folded].filter((offset) => !offsets.includes(offset)));

const MANY_VALUES = 30;
const MANY_CHARACTERS = 3_000;

/** One glance is not enough for it. */
const isBigValue = (value: SourceValue): boolean =>
  value.size > 0 && (value.length > MANY_CHARACTERS || value.leaves.length > MANY_VALUES);

interface RowsProps {
  readonly outline: Outline;
  readonly label: string;
  readonly context: RowContext;
  /** What a search found, by its number in the tree, and the line of it. */
  readonly found: number | undefined;
  readonly foundRow: number | undefined;
}

/** Another one is scrolled to. Folding moves lines, and scrolls to none. */
function useFound({ found, foundRow }: RowsProps, show: (row: number) => void): void {
  const showRow = useEffectEvent(() => {
    if (foundRow !== undefined) show(foundRow);
  });
  useEffect(() => {
    showRow();
  }, [found]);
}

function ShortJson(rows: RowsProps) {
  const { outline, label, context, foundRow } = rows;
  const box = useRef<HTMLDivElement>(null);
  useFound(rows, (row) => {
    box.current?.children[row]?.scrollIntoView({ block: 'center' });
  });
  return (
    <div
      ref={box}
      className={classes['json']}
      role="group"
      aria-label={label}
      // Its signs and key names are values, too.
      translate="no"
    >
      {outline.values.map((_value, index) => (
        <JsonRow
          key={index}
          row={rowAt(outline, index)}
          context={context}
          found={index === foundRow ? rows.found : undefined}
        />
      ))}
    </div>
  );
}

function LongJson(rows: RowsProps) {
  const { outline, label, context, foundRow } = rows;
  const scroller = useRef<HTMLDivElement>(null);
  // The compiler of React cannot memoize what the virtualizer returns, and nothing here needs that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const lines = useVirtualizer({
    count: outline.values.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (outline.parts[index] === 'records' ? TABLE_PIXELS : ROW_PIXELS),
    overscan: outline.parts.includes('records') ? TABLE_OVERSCAN : OVERSCAN,
  });
  useFound(rows, (row) => {
    scroller.current?.scrollIntoView({ block: 'nearest' });
    lines.scrollToIndex(row, { align: 'center' });
  });
  return (
    <>
      <p className={classes['hint']}>{words.scrolls(outline.values.length)}</p>
      {/* A scrolled region must be reachable by keyboard. */}
      <div
        ref={scroller}
        className={classes['scroller']}
        role="group"
        aria-label={label}
        tabIndex={0}
        translate="no"
      >
        <div
          className={classes['json']}
          style={{ height: lines.getTotalSize(), position: 'relative' }}
        >
          {lines.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              ref={lines.measureElement}
              data-index={index}
              className={classes['placed']}
              style={{ transform: `translateY(${start}px)` }}
            >
              <JsonRow
                row={rowAt(outline, index)}
                context={context}
                found={index === foundRow ? rows.found : undefined}
              />
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

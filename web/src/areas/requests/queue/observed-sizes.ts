/**
 * How the virtualizer learns sizes here: from observers, which report once the browser has laid out the page. To ask for
 * them while rows are drawn would lay it out twice.
 */
import { measureElement as measureNow, type Virtualizer } from '@tanstack/react-virtual';

type Rows = Virtualizer<HTMLDivElement, Element>;

/** Pixels. Until a row has been observed, it has the size that it had before, or an estimated one. */
export function measureElement(
  row: Element,
  entry: ResizeObserverEntry | undefined,
  rows: Rows,
): number {
  if (entry) return measureNow(row, entry, rows);
  const index = rows.indexFromElement(row);
  return rows.measurementsCache[index]?.size ?? rows.options.estimateSize(index);
}

export function observeElementRect(
  { scrollElement }: Rows,
  notify: (rect: { readonly width: number; readonly height: number }) => void,
): (() => void) | undefined {
  if (!scrollElement) return undefined;
  const observer = new ResizeObserver(() => {
    notify({ width: scrollElement.offsetWidth, height: scrollElement.offsetHeight });
  });
  observer.observe(scrollElement);
  return () => {
    observer.disconnect();
  };
}

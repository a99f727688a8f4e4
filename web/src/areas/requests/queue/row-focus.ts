/** The focus in the list of requests: keys move it, and a row that leaves passes it on. */
import { useNavigate } from '@tanstack/react-router';
import type { Virtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { useSingleKeys } from '../../../shared/browser/single-keys.ts';
import { BREAKPOINTS } from '../../../shared/design/breakpoints.ts';
import type { Summary } from './change-log.ts';
import type { QueueSearch } from './queue-search.ts';

interface RowFocus {
  readonly requests: readonly Summary[];
  readonly rows: Virtualizer<HTMLDivElement, Element>;
  /** The request that is open next to the list, or instead of it on a phone. */
  readonly openId: string | undefined;
  readonly search: QueueSearch;
  readonly select: (request: Summary) => void;
}

/** Gives the focus to a row, which may have to come into the page first. */
function useGivenFocus({ requests, rows }: Pick<RowFocus, 'requests' | 'rows'>) {
  /** The row that gets the focus once it is in the page. */
  const wantedRef = useRef<number>(undefined);
  const giveFocus = () => {
    const row = `[data-index="${wantedRef.current}"] a`;
    const link = rows.scrollElement?.querySelector<HTMLElement>(row);
    if (!link) return;
    wantedRef.current = undefined;
    link.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (wantedRef.current !== undefined) giveFocus();
  });
  const focusRow = (index: number) => {
    if (!requests[index]) return;
    wantedRef.current = index;
    rows.scrollToIndex(index, { align: 'auto' });
    giveFocus();
  };
  return { wantedRef, focusRow };
}

/** For the element around the rows. `stop`: the row that is the list's stop of the Tab key. */
export function useRowFocus(list: RowFocus) {
  const { requests, openId } = list;
  const indexOf = (id: string | undefined) => requests.findIndex((each) => each.id === id);
  /** The last row with the focus. Scrolling may take it out of the page. */
  const focusedRef = useRef<{ readonly id: string; readonly index: number }>(undefined);
  const [stopId, setStopId] = useState<string>();
  /** Where the open request was in the list when it was last there. */
  const openIndexRef = useRef(0);
  const { wantedRef, focusRow } = useGivenFocus(list);
  /** The index that is `by` rows further. */
  const placeAt = (by: number): number => {
    // The last key may have led to a row that is not in the page yet.
    const at = wantedRef.current ?? indexOf(focusedRef.current?.id ?? openId);
    // The open request was decided and has left: the one that took its place is the next.
    const next = at === -1 ? openIndexRef.current + Math.min(by, 0) : at + by;
    return Math.min(Math.max(0, next), requests.length - 1);
  };
  useListKeys(list, {
    step: (by) => {
      const index = placeAt(by);
      focusRow(index);
      return requests[index]?.id;
    },
    focused: () => requests[indexOf(focusedRef.current?.id)],
  });
  useKeptFocus(list, { focusedRef, openIndexRef, focusRow, indexOf });
  return {
    stop: Math.max(0, indexOf(stopId ?? openId)),
    onFocus: ({ target }: FocusEvent) => {
      const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset['index']);
      const request = requests[index];
      wantedRef.current = undefined;
      focusedRef.current = request && { id: request.id, index };
      setStopId(request?.id);
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      // There is none where the row itself has left.
      if (relatedTarget) focusedRef.current = undefined;
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const to = { ArrowDown: placeAt(1), ArrowUp: placeAt(-1), Home: 0, End: requests.length - 1 };
      if (!(event.key in to)) return;
      event.preventDefault();
      focusRow(to[event.key as keyof typeof to]);
    },
  };
}

interface ListKeys {
  /** Moves the focus, and says to which request. */
  readonly step: (by: number) => string | undefined;
  /** The request that has the focus. */
  readonly focused: () => Summary | undefined;
}

function useListKeys({ openId, search, select }: RowFocus, { step, focused }: ListKeys) {
  const navigate = useNavigate();
  const go = (by: number) => {
    const id = step(by);
    if (id === undefined || id === openId) return;
    if (openId === undefined && !matchMedia(BREAKPOINTS['two-panes']).matches) return;
    const replace = openId !== undefined;
    void navigate({ to: '/requests/$id', params: { id }, search, replace });
  };
  useSingleKeys({
    j: () => {
      go(1);
    },
    k: () => {
      go(-1);
    },
    x: () => {
      const request = focused();
      if (request) select(request);
    },
  });
}

interface KeptFocus {
  readonly focusedRef: RefObject<{ readonly id: string; readonly index: number } | undefined>;
  readonly openIndexRef: RefObject<number>;
  readonly focusRow: (index: number) => void;
  readonly indexOf: (id: string | undefined) => number;
}

/** A focus that is lost goes to where it belongs, and the open request is scrolled to. */
function useKeptFocus({ requests, rows, openId }: RowFocus, kept: KeptFocus) {
  const { focusedRef, openIndexRef, focusRow, indexOf } = kept;
  const lastOpen = useRef(openId);
  /** The open request that was scrolled to. */
  const shownId = useRef<string>(undefined);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    const { id, index = 0 } = focusedRef.current ?? {};
    // The row was decided: the one that took its place gets the focus.
    if (isLost && id !== undefined && indexOf(id) === -1)
      focusRow(Math.min(index, requests.length - 1));
    // Back from a request, a keyboard continues where it was.
    if (isLost && openId === undefined && lastOpen.current !== undefined)
      focusRow(indexOf(lastOpen.current));
    lastOpen.current = openId;
    const at = indexOf(openId);
    if (at === -1) return;
    openIndexRef.current = at;
    if (shownId.current !== openId) rows.scrollToIndex(at, { align: 'auto' });
    shownId.current = openId;
  });
}

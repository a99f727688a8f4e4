/** The focus in the list of requests: single keys move it, and a row that leaves passes it on. */
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type FocusEvent } from 'react';
import { useSingleKeys } from '../../../shared/browser/single-keys.ts';
import type { Summary } from './change-log.ts';

interface RowFocus {
  readonly requests: readonly Summary[];
  readonly rows: Virtualizer<HTMLDivElement, Element>;
  /** The request that is open beside the list, or instead of it on a phone. */
  readonly openId: string | undefined;
  readonly select: (request: Summary) => void;
}

/** For the element around the rows. */
export function useRowFocus({ requests, rows, openId, select }: RowFocus) {
  /** The last row with the focus. Scrolling may take it out of the page. */
  const focused = useRef<{ readonly id: string; readonly index: number }>(undefined);
  /** The row that gets the focus once it is in the page. */
  const wanted = useRef<number>(undefined);
  const lastOpen = useRef(openId);
  /** Where the open request was in the list when it was last there. */
  const openIndex = useRef(0);
  const indexOf = (id: string | undefined) => requests.findIndex((each) => each.id === id);
  const giveFocus = () => {
    const row = `[data-index="${wanted.current}"] a`;
    const link = rows.scrollElement?.querySelector<HTMLElement>(row);
    if (!link) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  };
  const focusRow = (index: number) => {
    if (!requests[index]) return;
    wanted.current = index;
    rows.scrollToIndex(index, { align: 'auto' });
    giveFocus();
  };
  const step = (by: number) => {
    // The last key may have led to a row that is not in the page yet.
    const at = wanted.current ?? indexOf(focused.current?.id ?? openId);
    // The open request was decided and has left: the one that took its place is the next.
    const next = at === -1 ? openIndex.current + Math.min(by, 0) : at + by;
    focusRow(Math.min(Math.max(0, next), requests.length - 1));
  };
  useSingleKeys({
    j: () => {
      step(1);
    },
    k: () => {
      step(-1);
    },
    x: () => {
      const request = requests[indexOf(focused.current?.id)];
      if (request) select(request);
    },
  });
  useEffect(() => {
    if (wanted.current !== undefined) giveFocus();
    const isLost = document.activeElement === document.body;
    const { id, index = 0 } = focused.current ?? {};
    // The row was decided: the one that took its place gets the focus.
    if (isLost && id !== undefined && indexOf(id) === -1)
      focusRow(Math.min(index, requests.length - 1));
    // Back from a request, a keyboard goes on where it was.
    if (isLost && openId === undefined && lastOpen.current !== undefined)
      focusRow(indexOf(lastOpen.current));
    lastOpen.current = openId;
    const at = indexOf(openId);
    if (at !== -1) openIndex.current = at;
  });
  return {
    onFocus: ({ target }: FocusEvent) => {
      const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset['index']);
      const request = requests[index];
      wanted.current = undefined;
      focused.current = request && { id: request.id, index };
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      // There is none where the row itself has left.
      if (relatedTarget) focused.current = undefined;
    },
  };
}

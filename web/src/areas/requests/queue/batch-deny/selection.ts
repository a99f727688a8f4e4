/** Which rows of the queue are selected, to deny them together. */
import { useState } from 'react';
import type { Summary } from '../change-log.ts';

/** What a person can still look through before they confirm. */
export const MOST_SELECTED = 200;

/** Requests as they were when they were selected, by id. */
type Chosen = ReadonlyMap<string, Summary>;
const NONE: Chosen = new Map();

export interface Selection {
  /** Whether rows show checkboxes. */
  readonly isOn: boolean;
  readonly selected: readonly Summary[];
  /** Selected before, and decided or changed since. */
  readonly dropped: readonly Summary[];
  readonly has: (id: string) => boolean;
  readonly start: () => void;
  readonly toggle: (request: Summary) => void;
  /** As many of the first rows as can be selected. */
  readonly selectAll: () => void;
  readonly deselect: (ids: readonly string[]) => void;
  readonly end: () => void;
}

export const canSelect = ({ status, can_decide: canDecide }: Summary): boolean =>
  status === 'pending' && canDecide;

/** Only what a reader has selected as it is now stays selected. While a list is read, all does. */
export function stillChosen(
  chosen: Chosen,
  rows: readonly Summary[] | undefined,
): Pick<Selection, 'selected' | 'dropped'> {
  if (!rows || chosen.size === 0) return { selected: [...chosen.values()], dropped: [] };
  const byId = new Map(rows.map((row) => [row.id, row]));
  const isSame = ({ id, updated_at: version }: Summary): boolean => {
    const row = byId.get(id);
    return row !== undefined && row.updated_at === version && canSelect(row);
  };
  const all = [...chosen.values()];
  return { selected: all.filter(isSame), dropped: all.filter((each) => !isSame(each)) };
}

/** `list`: what the rows are of. Another list begins without a selection. */
export function useSelection(list: string, rows: readonly Summary[] | undefined): Selection {
  const [state, setState] = useState({ list, isOn: false, chosen: NONE });
  const { isOn, chosen } = state.list === list ? state : { isOn: false, chosen: NONE };
  const { selected, dropped } = stillChosen(chosen, rows);
  const choose = (requests: readonly Summary[]) => {
    setState({ list, isOn: true, chosen: new Map(requests.map((each) => [each.id, each])) });
  };
  const has = (id: string) => selected.some((each) => each.id === id);
  return {
    isOn,
    selected,
    dropped,
    has,
    start: () => {
      choose([]);
    },
    toggle: (request) => {
      const { id } = request;
      if (has(id)) choose(selected.filter((each) => each.id !== id));
      else if (canSelect(request) && selected.length < MOST_SELECTED)
        choose([...selected, request]);
    },
    selectAll: () => {
      choose((rows ?? []).filter(canSelect).slice(0, MOST_SELECTED));
    },
    deselect: (ids) => {
      choose([...chosen.values()].filter(({ id }) => !ids.includes(id)));
    },
    end: () => {
      setState({ list, isOn: false, chosen: NONE });
    },
  };
}

/** What can be done with a rule: open it, switch it, move it, copy it, delete it. */
import type { KeyboardEvent } from 'react';
import { isExactObject } from '../../../../../src/platform/json/exact-values.ts';
import { Menu, type MenuEntry } from '../../../shared/design/menus/menu.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { canBeBranch, makeBranch } from '../document/make-branch.ts';
import {
  duplicateBlock,
  moveBlock,
  moveIntoBranch,
  moveOutOfBranch,
  removeBlock,
  setMember,
} from '../document/rule-edits.ts';
import { sourceAt, withItem } from '../../../shared/editor/splices.ts';
import { useEditing } from '../editing.ts';
import type { BlockRow } from '../document/rule-rows.ts';
import { rules as text } from '../text.ts';
import { nameOf } from './rule-names.ts';
import classes from './rule-card.module.css';

/** A menu has room for some. */
const MOST_BRANCHES = 5;

interface CardActionsProps {
  readonly row: BlockRow;
  readonly isOpen: boolean;
  readonly isOff: boolean;
}

export function CardActions({ row, isOpen, isOff }: CardActionsProps) {
  const { isReadOnly } = useEditing();
  return isReadOnly ? null : <Actions row={row} isOpen={isOpen} isOff={isOff} />;
}

function Actions({ row, isOpen, isOff }: CardActionsProps) {
  const { edit, setOpen } = useEditing();
  const entries = useEntries(row);
  const name = nameOf(row.value);
  return (
    <span className={classes['actions']}>
      <label className={classes['switch']}>
        <input
          type="checkbox"
          role="switch"
          aria-label={text.on(name)}
          checked={!isOff}
          onChange={({ currentTarget }) => {
            const isOn = currentTarget.checked;
            edit((all) => setMember(all, `${row.pointer}/enabled`, String(isOn)));
          }}
        />
        <span aria-hidden="true">{text.onLabel}</span>
      </label>
      <button
        type="button"
        className={classes['edit']}
        aria-expanded={isOpen}
        aria-label={`${isOpen ? text.done : text.edit}: ${name}`}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        onClick={() => {
          setOpen(isOpen ? undefined : row.pointer);
        }}
        onKeyDown={(event) => {
          moveByKey(event, row, edit);
        }}
      >
        {isOpen ? text.done : text.edit}
      </button>
      <Menu label={`${text.more}: ${name}`} entries={entries} />
    </span>
  );
}

/** Alt with an arrow moves a rule, and the focus stays on it. */
function moveByKey(
  event: KeyboardEvent<HTMLElement>,
  row: BlockRow,
  edit: ReturnType<typeof useEditing>['edit'],
): void {
  if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  const by = event.key === 'ArrowUp' ? -1 : 1;
  const to = row.index + by;
  if (to < 0 || to >= row.size) return;
  edit((all) => moveBlock(all, row.pointer, by));
  focusCard(`${row.list}/${to}`);
}

function focusCard(pointer: string): void {
  requestAnimationFrame(() => {
    const card = document.querySelector(`[data-pointer="${CSS.escape(pointer)}"]`);
    card?.querySelector<HTMLElement>(`.${CSS.escape(classes['edit'] ?? '')}`)?.focus();
  });
}

function useEntries(row: BlockRow): readonly MenuEntry[] {
  const { edit, setOpen } = useEditing();
  const { pointer, list, index, size, value } = row;
  const name = nameOf(value);
  const move = (by: -1 | 1) => () => {
    setOpen(undefined);
    edit((all) => moveBlock(all, pointer, by));
    focusCard(`${list}/${index + by}`);
  };
  const branches = siblingBranches(row);
  return [
    ...(index > 0 ? [{ label: text.moveUp, onSelect: move(-1) }] : []),
    ...(index < size - 1 ? [{ label: text.moveDown, onSelect: move(1) }] : []),
    {
      label: text.duplicate,
      onSelect: () => {
        edit((all) => duplicateBlock(all, pointer, text.copyOf(name)));
      },
    },
    ...(canBeBranch(value)
      ? [
          {
            label: text.makeBranch,
            onSelect: () => {
              edit((all) => makeBranch(all, pointer));
              setOpen(`${pointer}/config/blocks/0`);
              showToast(text.branchMade);
            },
          },
        ]
      : []),
    ...branches.map((branch) => ({
      label: text.moveInto(branch.name),
      onSelect: () => {
        setOpen(undefined);
        edit((all) => moveIntoBranch(all, pointer, branch.pointer));
      },
    })),
    ...(list === '/blocks'
      ? []
      : [
          {
            label: text.moveOut,
            ...(size === 1 && { disabledReason: text.lastInBranch }),
            onSelect: () => {
              setOpen(undefined);
              edit((all) => moveOutOfBranch(all, pointer));
            },
          },
        ]),
    useRemoval(row),
  ];
}

/** It can be undone, at its place, whatever else was changed since. */
function useRemoval({ pointer, list, index, size, value }: BlockRow): MenuEntry {
  const { edit, setOpen, textNow } = useEditing();
  const name = nameOf(value);
  return {
    label: text.remove,
    isDangerous: true,
    ...(size === 1 && list !== '/blocks' && { disabledReason: text.lastInBranch }),
    onSelect: () => {
      setOpen(undefined);
      const gone = sourceAt(textNow(), pointer);
      edit((all) => removeBlock(all, pointer));
      showToast(text.removed(name), {
        undo: () => {
          edit((all) =>
            gone === undefined || sourceAt(all, list) === undefined
              ? all
              : withItem(all, { list, index }, gone),
          );
        },
      });
    },
  };
}

/** Branches of the same list that it can move into. */
const siblingBranches = ({ siblings, list, index: own }: BlockRow) =>
  siblings
    .flatMap((value, index) =>
      index !== own && isExactObject(value) && value['type'] === 'branch'
        ? [{ pointer: `${list}/${index}`, name: nameOf(value) }]
        : [],
    )
    .slice(0, MOST_BRANCHES);

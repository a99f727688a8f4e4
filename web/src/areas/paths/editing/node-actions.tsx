/** What can be done with a step: move it, remove it, or put another one before it. */
import { ownZone } from '../../../shared/design/fields/zones.ts';
import { Menu } from '../../../shared/design/menus/menu.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { lastTokenOf, parentOf } from '../../../shared/editor/json-places.ts';
import { sourceAt, withItem } from '../../../shared/editor/splices.ts';
import { useCards } from '../cards/cards-context.ts';
import { addNode, moveNode, newHours, remove, type NewNode } from '../document/path-edits.ts';
import { editing as text } from './text.ts';
import { useMayEdit } from './path-editing.ts';
import classes from './editing.module.css';

interface NodeActionsProps {
  readonly pointer: string;
  /** What the step is called for people who do not see it. */
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export function NodeActions({ pointer, name, isFirst, isLast }: NodeActionsProps) {
  const editing = useMayEdit();
  if (!editing) return null;
  const { edit } = editing;
  const drop = () => {
    let source: string | undefined;
    edit((all) => {
      source = sourceAt(all, pointer);
      return remove(pointer)(all);
    });
    const place = { list: parentOf(pointer), index: Number(lastTokenOf(pointer)) };
    showToast(text.removed(name), {
      undo: () => {
        edit((all) => (source === undefined ? all : withItem(all, place, source)));
      },
    });
  };
  return (
    <span className={classes['actions']}>
      <Menu
        label={text.more(name)}
        entries={[
          ...(isFirst ? [] : [{ label: text.up, onSelect: () => edit(moveNode(pointer, -1)) }]),
          ...(isLast ? [] : [{ label: text.down, onSelect: () => edit(moveNode(pointer, 1)) }]),
          { label: text.remove, onSelect: drop, isDangerous: true },
        ]}
      />
    </span>
  );
}

interface InsertProps {
  readonly list: string;
  readonly index: number;
  /** Where it goes, for people who do not see it. */
  readonly label: string;
}

const KINDS: readonly NewNode[] = ['level', 'defer', 'if_else'];

export function Insert({ list, index, label }: InsertProps) {
  const editing = useMayEdit();
  const { hours } = useCards();
  if (!editing) return null;
  const add = (kind: NewNode) => {
    const zone = ownZone();
    const firstHours = newHours(text.officeHours, zone);
    editing.edit(addNode(kind, { list, index, hours, firstHours }));
  };
  return (
    <div className={classes['insert']}>
      <Menu
        label={label}
        entries={KINDS.map((kind) => ({ label: text.add[kind], onSelect: () => add(kind) }))}
      >
        <span aria-hidden="true">+</span>
      </Menu>
    </div>
  );
}

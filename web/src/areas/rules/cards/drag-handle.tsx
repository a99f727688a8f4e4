/** Moves a rule in its list by pointer. Keys do the same: Alt with an arrow. */
import { useRef, type PointerEvent } from 'react';
import { moveTo } from '../document/rule-edits.ts';
import type { BlockRow } from '../document/rule-rows.ts';
import { useEditing } from '../editing.ts';
import classes from './rule-card.module.css';

/** Where the rule would go: before the one with this index, or at the end. */
interface Drop {
  readonly card: HTMLElement;
  readonly index: number;
}

export function DragHandle({ row }: { readonly row: BlockRow }) {
  const { edit, setOpen } = useEditing();
  const drop = useRef<Drop | undefined>(undefined);
  const end = () => {
    drop.current?.card.removeAttribute('data-drop');
    drop.current = undefined;
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    end();
    const card = cardAt(event, row.list);
    if (!card) return;
    const { top, height } = card.getBoundingClientRect();
    const isAfter = event.clientY > top + height / 2;
    card.dataset['drop'] = isAfter ? 'after' : 'before';
    drop.current = { card, index: indexOf(card) + (isAfter ? 1 : 0) };
  };
  return (
    <span
      className={classes['handle']}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={move}
      onPointerUp={() => {
        const to = drop.current?.index;
        end();
        if (to === undefined) return;
        setOpen(undefined);
        edit((all) => moveTo(all, row.pointer, to));
      }}
      onPointerCancel={end}
    >
      <svg viewBox="0 0 12 16" width="12" height="16">
        <path d="M3 3h2M7 3h2M3 8h2M7 8h2M3 13h2M7 13h2" />
      </svg>
    </span>
  );
}

const indexOf = ({ dataset }: HTMLElement): number =>
  Number(dataset['pointer']?.split('/').at(-1) ?? 0);

/** The card of the list that is under the pointer. A branch counts with its own rules. */
function cardAt(
  { clientX, clientY }: PointerEvent<HTMLElement>,
  list: string,
): HTMLElement | undefined {
  for (const element of document.elementsFromPoint(clientX, clientY)) {
    const pointer = element.closest<HTMLElement>('article[data-pointer]')?.dataset['pointer'];
    if (pointer === undefined || !pointer.startsWith(`${list}/`)) continue;
    const [index = ''] = pointer.slice(list.length + 1).split('/');
    const own = document.querySelector<HTMLElement>(
      `article[data-pointer="${CSS.escape(`${list}/${index}`)}"]`,
    );
    if (own) return own;
  }
  return undefined;
}

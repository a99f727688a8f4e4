/** What can be done to one thing, behind a button. Arrow keys move in it, and letters find an entry. */
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { moveFocus } from './arrow-keys.ts';
import classes from './menu.module.css';

export interface MenuEntry {
  readonly label: string;
  readonly onSelect: () => void;
  /** Ends something. */
  readonly isDangerous?: boolean;
  /** Why it cannot be chosen now. */
  readonly disabledReason?: string | undefined;
}

interface MenuProps {
  /** What the button is called, such as `More for Small refunds`. */
  readonly label: string;
  /** What the button shows. Default: three dots. */
  readonly children?: ReactNode;
  readonly entries: readonly MenuEntry[];
}

/** The browser closes it at Escape and at a press elsewhere, and gives the focus back. */
export function Menu({ label, children, entries }: MenuProps) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const shown = () => [...(menu.current?.querySelectorAll('button') ?? [])];
  const close = () => {
    menu.current?.hidePopover();
  };
  const press = (event: KeyboardEvent) => {
    // The focus goes back to the button, and Tab on from there.
    if (event.key === 'Tab') close();
    else if (!moveFocus(event, shown(), 'column') && event.key.length === 1)
      findByLetter(event.key, shown());
  };
  return (
    <span className={classes['place']}>
      <button
        type="button"
        className={classes['button']}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          menu.current?.showPopover();
        }}
      >
        {children ?? <Dots />}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        className={classes['dropdown']}
        aria-label={label}
        onBeforeToggle={({ newState }) => {
          // The entry with the focus stays until the browser has given the focus back.
          if (newState === 'open') setOpen(true);
        }}
        onToggle={({ newState }) => {
          if (newState === 'open') shown()[0]?.focus();
          else setOpen(false);
        }}
        onKeyDown={press}
      >
        {isOpen && entries.map((entry) => <Entry key={entry.label} entry={entry} close={close} />)}
      </div>
    </span>
  );
}

/** The next one after the focus that begins with the letter. */
function findByLetter(letter: string, entries: readonly HTMLButtonElement[]): void {
  const at = entries.findIndex((entry) => entry === document.activeElement);
  [...entries.slice(at + 1), ...entries.slice(0, at + 1)]
    .find(({ textContent }) => textContent.toLowerCase().startsWith(letter.toLowerCase()))
    ?.focus();
}

function Entry({ entry, close }: { readonly entry: MenuEntry; readonly close: () => void }) {
  const { label, onSelect, isDangerous = false, disabledReason } = entry;
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={classes['item']}
      aria-disabled={disabledReason !== undefined}
      data-dangerous={isDangerous || undefined}
      onClick={() => {
        if (disabledReason !== undefined) return;
        // First: a dialog gives the focus back to where it was, and the entry will be gone.
        close();
        onSelect();
      }}
    >
      {label}
      {disabledReason !== undefined && <span className={classes['reason']}>{disabledReason}</span>}
    </button>
  );
}

function Dots() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" fill="currentcolor">
      <circle cx="4" cy="10" r="1.6" />
      <circle cx="10" cy="10" r="1.6" />
      <circle cx="16" cy="10" r="1.6" />
    </svg>
  );
}

/** What can be done to one thing, behind a button. Arrow keys move in it, and letters find an entry. */
import { Menu as MantineMenu } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
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

export function Menu({ label, children, entries }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    // In place: a dialog of the browser would cover what is elsewhere in the page.
    <MantineMenu
      position="bottom-end"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      transitionProps={{ duration: 0 }}
      classNames={{ dropdown: classes['dropdown'] ?? '', item: classes['item'] ?? '' }}
    >
      <MantineMenu.Target>
        <button ref={button} type="button" className={classes['button']} aria-label={label}>
          {children ?? <Dots />}
        </button>
      </MantineMenu.Target>
      <MantineMenu.Dropdown>
        {entries.map(({ label: entry, onSelect, isDangerous = false, disabledReason }) => (
          <MantineMenu.Item
            key={entry}
            disabled={disabledReason !== undefined}
            data-dangerous={isDangerous || undefined}
            onClick={() => {
              // A dialog gives the focus back to where it was, and the entry will be gone.
              button.current?.focus();
              onSelect();
            }}
          >
            {entry}
            {disabledReason !== undefined && (
              <span className={classes['reason']}>{disabledReason}</span>
            )}
          </MantineMenu.Item>
        ))}
      </MantineMenu.Dropdown>
    </MantineMenu>
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

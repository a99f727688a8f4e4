/** Views of one page, one at a time. Views with their own paths are `LinkTabs`. */
import { useId, useRef, type ReactNode } from 'react';
import { moveFocus } from './arrow-keys.ts';
import classes from './tabs.module.css';

export interface Tab<Key extends string> {
  readonly key: Key;
  readonly label: string;
  /** Next to the label, such as how many there are. */
  readonly mark?: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps<Key extends string> {
  /** What the tabs are about, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Key>[];
  readonly open: Key;
  readonly onOpen: (key: Key) => void;
}

export function Tabs<Key extends string>({ label, tabs, open, onOpen }: TabsProps<Key>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  return (
    <div>
      <div
        ref={list}
        role="tablist"
        className={classes['tabs']}
        aria-label={label}
        onKeyDown={(event) => {
          moveFocus(event, [...(list.current?.querySelectorAll('button') ?? [])], 'row')?.click();
        }}
      >
        {tabs.map(({ key, label: tab, mark }) => (
          <button
            key={key}
            id={`${id}-${key}`}
            type="button"
            role="tab"
            className={classes['tab']}
            aria-selected={key === open}
            aria-controls={key === open ? `${id}-panel` : undefined}
            tabIndex={key === open ? 0 : -1}
            onClick={() => {
              onOpen(key);
            }}
          >
            <span>
              {tab} {mark}
            </span>
          </button>
        ))}
      </div>
      <div
        key={open}
        id={`${id}-panel`}
        role="tabpanel"
        className={classes['panel']}
        aria-labelledby={`${id}-${open}`}
      >
        {tabs.find(({ key }) => key === open)?.content}
      </div>
    </div>
  );
}

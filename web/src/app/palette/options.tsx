/** What the palette found, by group. The focus stays in the field, which names the active option. */
import { useEffect } from 'react';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { palette as text } from './text.ts';
import type { grouped, Item } from './items.ts';
import classes from './palette.module.css';

interface OptionsProps {
  readonly id: string;
  readonly groups: ReturnType<typeof grouped>;
  /** The index of the active option among all. */
  readonly at: number;
  readonly onOpen: (item: Item) => void;
}

export function Options({ id, groups, at, onOpen }: OptionsProps) {
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at]);
  const starts = groups.map((_group, index) =>
    groups.slice(0, index).reduce((sum, { items }) => sum + items.length, 0),
  );
  return (
    <div id={`${id}-list`} role="listbox" aria-label={text.results} className={classes['list']}>
      {groups.map(({ group, items }, groupIndex) => (
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <div id={`${id}-${group}`} role="presentation" className={classes['group']}>
            {text.groups[group]}
          </div>
          {items.map((item, index) => {
            const own = (starts[groupIndex] ?? 0) + index;
            return (
              <div
                key={item.href}
                id={`${id}-${own}`}
                role="option"
                aria-selected={own === at}
                className={classes['option']}
                onMouseDown={(event) => {
                  // The field keeps the focus.
                  event.preventDefault();
                }}
                onClick={() => {
                  onOpen(item);
                }}
              >
                <span className={classes['label']}>
                  <ForeignText text={item.label} isName />
                </span>
                {item.detail !== undefined && (
                  <span className={classes['detail']}>
                    <ForeignText text={item.detail} isName />
                  </span>
                )}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

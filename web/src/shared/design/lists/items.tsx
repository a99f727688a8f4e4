/** Things of a person in a list, such as their devices, with what can be done to each. */
import type { ReactNode } from 'react';
import classes from './items.module.css';

export function Items({ children }: { readonly children: ReactNode }) {
  return <ul className={classes['items']}>{children}</ul>;
}

interface ItemProps {
  readonly name: ReactNode;
  /** What the browser said, where the name is made of it. */
  readonly title?: string | undefined;
  /** Marks the one that the reader uses now. */
  readonly current?: string | undefined;
  readonly actions?: ReactNode;
  /** Paragraphs about it. */
  readonly children: ReactNode;
}

export function Item({ name, title, current, actions, children }: ItemProps) {
  return (
    <li className={classes['item']}>
      <div className={classes['what']}>
        <p>
          <strong title={title}>{name}</strong>
          {current !== undefined && <span className={classes['current']}>{current}</span>}
        </p>
        {children}
      </div>
      {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
    </li>
  );
}

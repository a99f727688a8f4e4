/** A list of sections next to the section that is open. */
import { Link, Outlet, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './sections-layout.module.css';

interface Section {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  /** Next to the label, such as how many there are. */
  readonly mark?: ReactNode;
}

/** Whether the paths of other sections begin with that of this one. Then it is not current there. */
const isAbove = (path: string, sections: readonly Section[]): boolean =>
  sections.some(({ to }) => to.startsWith(`${path}/`));

interface SectionsLayoutProps {
  /** The accessible name of the list. */
  readonly label: string;
  readonly sections: readonly Section[];
}

export function SectionsLayout({ label, sections }: SectionsLayoutProps) {
  return (
    <div className={classes['layout']}>
      <nav aria-label={label} className={classes['sections']}>
        {sections.map(({ to, label: section, mark }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: isAbove(to, sections), includeSearch: false }}
            className={classes['section']}
          >
            {section}
            {mark}
          </Link>
        ))}
      </nav>
      <div className={classes['page']}>
        <Outlet />
      </div>
    </div>
  );
}

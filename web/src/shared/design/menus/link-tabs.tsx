/** Pages that belong together, in a row. */
import { Link, type LinkProps } from '@tanstack/react-router';
import classes from './tabs.module.css';

type Place = Pick<LinkProps, 'to' | 'params'> & {
  readonly label: string;
  /** Also on pages of other addresses. */
  readonly isCurrent?: boolean;
};

interface LinkTabsProps {
  /** What the pages are about, for screen readers. */
  readonly label: string;
  readonly places: readonly Place[];
}

export function LinkTabs({ label, places }: LinkTabsProps) {
  return (
    <nav aria-label={label} className={classes['tabs']}>
      {places.map(({ label: place, isCurrent = false, ...link }) => (
        <Link
          key={place}
          {...link}
          className={classes['tab']}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={isCurrent ? 'page' : undefined}
        >
          {place}
        </Link>
      ))}
    </nav>
  );
}

/** The pages below one entry of the navigation that the reader may open. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { LinkTabs } from '../shared/design/menus/link-tabs.tsx';
import { accountQuery, type Account } from '../shared/session/session.ts';
import { isCurrent, type Place } from './places.ts';
import classes from './place-tabs.module.css';

interface PlaceTabsProps {
  readonly label: string;
  readonly placesOf: (account: Account) => readonly Place[];
}

export function PlaceTabs({ label, placesOf }: PlaceTabsProps) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const places = placesOf(account).map((place) => ({
    ...{ to: place.to, label: place.label, isCurrent: isCurrent(place, pathname) },
  }));
  return (
    <div className={classes['places']}>
      <LinkTabs label={label} places={places} />
    </div>
  );
}

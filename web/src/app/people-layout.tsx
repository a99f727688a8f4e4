/** People, invitations and teams: each has its own pages below one row of links. */
import { Outlet } from '@tanstack/react-router';
import { navigation as text } from '../shared/text/navigation.ts';
import { PlaceTabs } from './place-tabs.tsx';
import { peoplePlaces } from './places.ts';

export function PeopleLayout() {
  return (
    <>
      <PlaceTabs label={text.peopleLabel} placesOf={peoplePlaces} />
      <Outlet />
    </>
  );
}

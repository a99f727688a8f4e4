/** Rules and what they use: each has its own pages below one row of links. */
import { Outlet } from '@tanstack/react-router';
import { navigation as text } from '../shared/text/navigation.ts';
import { PlaceTabs } from './place-tabs.tsx';
import { rulesPlaces } from './places.ts';

export function RulesLayout() {
  return (
    <>
      <PlaceTabs label={text.rulesLabel} placesOf={rulesPlaces} />
      <Outlet />
    </>
  );
}

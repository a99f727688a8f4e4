/** The settings of the organization: the sections that the reader may open. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { DeadCount } from '../areas/channels/dead-count.tsx';
import { SectionsLayout } from '../shared/page/sections-layout.tsx';
import { accountQuery } from '../shared/session/session.ts';
import { navigation as text } from '../shared/text/navigation.ts';
import { settingsPlaces } from './places.ts';

export function SettingsLayout() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const sections = settingsPlaces(account).map((place) => ({
    ...place,
    ...(place.to === '/settings/deliveries' && { mark: <DeadCount /> }),
  }));
  return <SectionsLayout label={text.settingsLabel} sections={sections} />;
}

/** What the address of deliveries says. Every screen loads this, so it is short. The page reads it with `knownOf`. */
import { known, typed } from '../../../shared/routes/list-search.ts';

export type Given = Readonly<
  Partial<Record<'delivery' | 'since' | 'channel' | 'request' | 'member', string>>
>;

export const readDeliveriesSearch = (given: Readonly<Record<string, unknown>>): Given =>
  known<Given>(
    {
      delivery: typed(given['delivery']),
      since: typed(given['since']),
      channel: typed(given['channel']),
      request: typed(given['request']),
      member: typed(given['member']),
    },
    given,
  );

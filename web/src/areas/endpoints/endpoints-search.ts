/** Which attempts the page of an endpoint shows, as its address says. */
import { known, oneOf } from '../../shared/routes/list-search.ts';

interface EndpointSearch {
  readonly deliveries?: 'failed';
}

export const readEndpointSearch = (given: Record<string, unknown>): EndpointSearch =>
  known<EndpointSearch>({ deliveries: oneOf(given['deliveries'], ['failed']) }, given);

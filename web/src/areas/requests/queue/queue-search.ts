/** What the queue shows, as its address says. */

export const TABS = ['asked', 'mine', 'all', 'decided'] as const;
export type Tab = (typeof TABS)[number];

export const DECIDED = ['approved', 'denied', 'expired', 'cancelled'] as const;

export interface QueueSearch {
  readonly tab?: Tab;
  readonly q?: string;
  readonly sort?: 'deadline';
  readonly urgency?: 'interrupt' | 'standard';
  readonly claimed?: 'me' | 'others' | 'nobody';
  /** Of the decided ones. */
  readonly status?: (typeof DECIDED)[number];
}

const oneOf = <Value extends string>(value: unknown, values: readonly Value[]): Value | undefined =>
  values.find((each) => each === value);

/** Leaves out what it does not know, so that old addresses still open. */
export function readSearch(search: Record<string, unknown>): QueueSearch {
  const { q } = search;
  const read = {
    tab: oneOf(search['tab'], TABS),
    q: typeof q === 'string' && q !== '' ? q.slice(0, 200) : undefined,
    sort: oneOf(search['sort'], ['deadline'] as const),
    urgency: oneOf(search['urgency'], ['interrupt', 'standard'] as const),
    claimed: oneOf(search['claimed'], ['me', 'others', 'nobody'] as const),
    status: oneOf(search['status'], DECIDED),
  };
  // The router keeps what the address has unless it is named here.
  return Object.fromEntries(
    Object.entries(read).filter(([name, value]) => value !== undefined || name in search),
  );
}

/** Whether a search or a filter hides requests of the tab. The order hides none. */
export const isFiltered = ({ tab, q, urgency, claimed, status }: QueueSearch): boolean =>
  [q, ...(tab === 'decided' ? [status] : [urgency, claimed])].some((each) => each !== undefined);

export const withoutFilters = ({ tab, sort }: QueueSearch): QueueSearch =>
  readSearch({ tab, sort });

const SCOPES = {
  asked: 'notified',
  mine: 'decidable',
  all: 'visible',
  decided: 'visible',
} as const;

/** The query of `GET /requests`. */
export function listQueryOf({ tab = 'asked', q, sort, urgency, claimed, status }: QueueSearch) {
  const isDecided = tab === 'decided';
  return {
    view: 'summary',
    limit: 50,
    scope: SCOPES[tab],
    status: isDecided ? (status ?? 'decided') : 'pending',
    ...(q !== undefined && { q }),
    ...(sort !== undefined && !isDecided && { sort }),
    ...(urgency !== undefined && !isDecided && { urgency }),
    ...(claimed !== undefined && !isDecided && { claimed }),
  } as const;
}

/** What of a summary the filters look at. */
interface Filtered {
  readonly id: string;
  readonly tool: string;
  readonly server?: string;
  readonly agent_slug: string;
  readonly agent_name: string;
  readonly agent_instance_name: string;
  readonly urgency: string;
  readonly notified_at?: string;
  readonly can_decide: boolean;
  readonly claim?: { readonly membership_id: string };
}

/** Whether a pending request would be in the list, as the service filters it. */
export function fitsSearch(
  request: Filtered,
  search: QueueSearch,
  member: string | undefined,
): boolean {
  const { tab = 'asked', q, urgency, claimed } = search;
  const { id, tool, server, agent_slug: slug, agent_name: agent, claim } = request;
  const texts = [id, tool, server ?? '', slug, agent, request.agent_instance_name];
  const holder = claim && (claim.membership_id === member ? 'me' : 'others');
  return (
    tab !== 'decided' &&
    (tab !== 'asked' || request.notified_at !== undefined) &&
    // Who is asked and still lacks the second factor sees the request, too.
    (tab !== 'mine' || request.can_decide) &&
    (urgency === undefined || request.urgency === urgency) &&
    (claimed === undefined || (holder ?? 'nobody') === claimed) &&
    (q === undefined || texts.some((text) => text.toLowerCase().includes(q.toLowerCase())))
  );
}

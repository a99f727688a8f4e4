/** What the queue shows, as its address says. */
import { known, oneOf, typed } from '../../../shared/routes/list-search.ts';

export const TABS = ['asked', 'mine', 'all', 'decided'] as const;
export type Tab = (typeof TABS)[number];

export const DECIDED = ['approved', 'denied', 'expired', 'cancelled'] as const;

export interface QueueSearch {
  readonly tab?: Tab;
  readonly q?: string;
  /** Absent: urgent ones first, then the one that expires first. */
  readonly sort?: 'created';
  readonly urgency?: 'interrupt' | 'standard';
  readonly claimed?: 'me' | 'others' | 'nobody';
  /** Its slug. */
  readonly agent?: string;
  readonly tool?: string;
  /** Of the decided ones. */
  readonly status?: (typeof DECIDED)[number];
}

/** Leaves out what it does not know, so that old addresses still open. */
export function readSearch(search: Record<string, unknown>): QueueSearch {
  return known<QueueSearch>(
    {
      tab: oneOf(search['tab'], TABS),
      q: typed(search['q'], 200),
      sort: oneOf(search['sort'], ['created']),
      agent: typed(search['agent'], 200),
      tool: typed(search['tool'], 1_024),
      urgency: oneOf(search['urgency'], ['interrupt', 'standard']),
      claimed: oneOf(search['claimed'], ['me', 'others', 'nobody']),
      status: oneOf(search['status'], DECIDED),
    },
    search,
  );
}

/** How many filters hide requests of the tab. */
export const filterCount = ({ tab, agent, tool, urgency, claimed, status }: QueueSearch): number =>
  [agent, tool, ...(tab === 'decided' ? [status] : [urgency, claimed])].filter(
    (each) => each !== undefined,
  ).length;

/** Whether a search or a filter hides requests of the tab. The order hides none. */
export const isFiltered = (search: QueueSearch): boolean =>
  search.q !== undefined || filterCount(search) > 0;

export const withoutFilters = ({ tab, sort }: QueueSearch): QueueSearch =>
  readSearch({ tab, sort });

const SCOPES = {
  asked: 'notified',
  mine: 'decidable',
  all: 'visible',
  decided: 'visible',
} as const;

/** The query of `GET /requests`. */
export function listQueryOf({ tab = 'asked', q, sort, agent, tool, ...more }: QueueSearch) {
  const { urgency, claimed, status } = more;
  const isDecided = tab === 'decided';
  return {
    view: 'summary',
    limit: 50,
    scope: SCOPES[tab],
    status: isDecided ? (status ?? 'decided') : 'pending',
    ...(q !== undefined && { q }),
    ...(agent !== undefined && { agent_slug: agent }),
    ...(tool !== undefined && { tool }),
    ...(!isDecided && { sort: sort ?? ('urgency' as const) }),
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
  readonly excerpt: string;
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
  const { tab = 'asked', q = '', urgency, claimed } = search;
  const { id, tool, server, agent_slug: slug, agent_name: agent, claim } = request;
  const texts = [
    id,
    tool,
    server ?? '',
    slug,
    agent,
    request.agent_instance_name,
    request.excerpt,
  ].map((text) => text.toLowerCase());
  const words = q.toLowerCase().split(/\s+/);
  const holder = claim && (claim.membership_id === member ? 'me' : 'others');
  return (
    tab !== 'decided' &&
    (tab !== 'asked' || request.notified_at !== undefined) &&
    // Who is asked and still lacks the second factor sees the request, too.
    (tab !== 'mine' || request.can_decide) &&
    (urgency === undefined || request.urgency === urgency) &&
    (claimed === undefined || (holder ?? 'nobody') === claimed) &&
    (search.agent ?? slug) === slug &&
    (search.tool ?? tool) === tool &&
    words.every((word) => texts.some((text) => text.includes(word)))
  );
}

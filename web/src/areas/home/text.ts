/** English texts of the home of managers. */
import { countText, someText } from '../../shared/text/numbers.ts';

export const home = {
  title: 'Home',
  hint: 'Pending requests, decision times, and what needs attention soon.',
  showSetup: 'Show the setup steps',
  waiting: 'Waiting now',
  waitingHint:
    'Requests that wait for people. A request that can reach several teams counts for each of them.',
  noTeam: 'No team',
  oldest: 'the oldest from',
  nothingWaits: 'Nothing waits.',
  decided: 'Decisions',
  decidedSince: 'Since',
  byPeople: 'By people',
  median: 'Half within',
  long: '95 % within',
  byRules: 'By rules',
  expired: 'Expired',
  count: countText,
  shareOf: (part: number, all: number) => {
    const percent = (part / all) * 100;
    return percent > 0 && percent < 1 ? 'less than 1 %' : `${Math.round(percent)} %`;
  },
  noDecision: 'No decision in the last 7 days.',
  ending: 'Credentials that end soon',
  endingHint:
    'Within 14 days. An agent or program whose credential ends stops until it gets a new one.',
  noneEnding: 'None ends within 14 days.',
  ends: 'ends',
  instances: (count: number) => someText(count, 'instance', 'instances'),
  provisioners: (count: number) => someText(count, 'provisioner token', 'provisioner tokens'),
  key: (kind: 'personal' | 'organization', isOwn: boolean) => {
    if (kind === 'organization') return 'API key of the organization';
    return isOwn ? 'your API key' : 'personal API key';
  },
  moreKeys: (count: number) => `and ${someText(count, 'more API key', 'more API keys')}`,
  toKeys: 'All keys that end soon',
  toOwnKeys: 'All your keys',
  silent: 'Silent agents',
  silentHint: 'Active agents that called before, but not for 3 days.',
  noneSilent: 'Every agent that called before still does.',
  lastCall: 'last call',
  more: (count: number) => `and ${someText(count, 'more agent', 'more agents')}`,
  toAgents: 'All agents',
  emptyTitle: 'No request in the last 7 days',
  emptyHint: 'When an agent asks for approval, its requests and decision times appear here.',
  connect: 'Connect an agent',
} as const;

/** What the page of an agent's activity reads: the audit log, or what the agent itself says. */
import {
  AGENT_EVENT_TYPES,
  isAboutAgent,
} from '../../../../../src/domain/audit/event-sentences.ts';
import { call } from '../../../shared/api/api.ts';
import { listPages } from '../../../shared/api/lists.ts';
import { toldEvent } from '../../../shared/page/event-sentence.tsx';
import type { AgentDetail } from '../agents-data.ts';

const PAGE = 50;
/** Shorter text cannot be searched for. */
const LEAST_SEARCHED = 2;

/** Newest first. The log is searched for the slug, which other agents may have in theirs. */
export const activityQuery = (slug: string) =>
  listPages({
    name: ['agents', 'one', slug, 'activity'],
    read: async (page, signal) => {
      const query = {
        event_type: [...AGENT_EVENT_TYPES],
        limit: PAGE,
        ...(slug.length >= LEAST_SEARCHED && { q: slug }),
        ...page,
      };
      const { body } = await call('get', '/api/v1/audit', { params: { query }, signal });
      const events = body.events.filter((event) => isAboutAgent(toldEvent(event), slug));
      return { events, next_cursor: body.next_cursor };
    },
  });

export interface Known {
  readonly at: string;
  readonly what: 'created' | 'instance' | 'issued' | 'revoked' | 'token' | 'tokenRevoked';
  /** Of an instance, or of a credential. */
  readonly name?: string;
}

/** What is known without the audit log, newest first: when, but not who. */
export function knownHistory(agent: AgentDetail): readonly Known[] {
  const ofInstances = agent.instances.flatMap(({ name, created_at: at, credentials }): Known[] => [
    { at, what: 'instance', name },
    ...credentials.flatMap(({ issued_at: issued, revoked_at: revoked }): Known[] => [
      { at: issued, what: 'issued', name },
      ...(revoked === undefined ? [] : [{ at: revoked, what: 'revoked', name } as const]),
    ]),
  ]);
  const ofTokens = agent.provisioners.flatMap(
    ({ suffix, issued_at: issued, revoked_at: revoked }): Known[] => {
      const name = `whp_…${suffix}`;
      return [
        { at: issued, what: 'token', name },
        ...(revoked === undefined ? [] : [{ at: revoked, what: 'tokenRevoked', name } as const]),
      ];
    },
  );
  const created: Known = {
    at: agent.created_at,
    what: 'created',
    name: agent.created_by_display_name,
  };
  return [created, ...ofInstances, ...ofTokens].toSorted((one, other) =>
    other.at.localeCompare(one.at),
  );
}

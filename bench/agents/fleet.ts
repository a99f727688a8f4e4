/** A fleet: a thousand agents with their instances, credentials and requests, as rows of the database. */

export const FLEET = { agents: 1_000, instances: 50_000, requests: 2_000_000 } as const;
/** The first agent is large: it has a fifth of the instances and a quarter of the requests. */
const LARGE = { instances: FLEET.instances / 5, requests: FLEET.requests / 4 } as const;
/** Requests are spread evenly over so many days. One in two hundred waits. */
const DAYS = 30;
const WAITS = 200;
const DAY_MS = 86_400_000;

export const slugOf = (agent: number): string => `fleet-${String(agent).padStart(4, '0')}`;

export type Cell = string | number | null;

/** The agent of instance or request `n`, of which the large agent has the first ones. */
const agentOf = (n: number, large: number): number =>
  n < large ? 0 : 1 + (n % (FLEET.agents - 1));

/** An id for the n-th row of a table. */
const idOf = (table: number, n: number): string =>
  `${n.toString(16).padStart(8, '0')}-0000-4000-8000-${table.toString(16).padStart(12, '0')}`;

const at = (ms: number): string => new Date(ms).toISOString();

/** The instances of each agent, so that its requests belong to them in turn. */
function instancesByAgent(): number[][] {
  const instances: number[][] = Array.from({ length: FLEET.agents }, () => []);
  for (let n = 0; n < FLEET.instances; n++) instances[agentOf(n, LARGE.instances)]?.push(n);
  return instances;
}

/** Each instance has one credential. */
const isRevoked = (instance: number): boolean => instance % 3 === 0;

interface Table {
  readonly columns: string;
  /** `now` in milliseconds. */
  readonly rows: (organization: string, membership: string, now: number) => Iterable<Cell[]>;
}

/** In the order in which they can be filled. The rows are always the same, but for their times. */
export const tables: Readonly<Record<string, Table>> = {
  agents: {
    columns: 'organization_id, slug, name, status, created_by_actor_id, created_at, updated_at',
    *rows(organization, membership, now) {
      const created = at(now - 60 * DAY_MS);
      for (let n = 0; n < FLEET.agents; n++)
        yield [organization, slugOf(n), `Fleet ${n}`, 'active', membership, created, created];
    },
  },
  agent_instances: {
    columns:
      'id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at, live_until',
    *rows(organization, _membership, now) {
      for (let n = 0; n < FLEET.instances; n++) {
        const slug = slugOf(agentOf(n, LARGE.instances));
        const metadata = JSON.stringify({ host: `host-${n % 700}`, zone: 'eu-1' });
        const seen = at(now - (n % 10_000) * 60_000);
        yield [
          idOf(1, n),
          organization,
          slug,
          `runner-${n}`,
          n % 50 === 0 ? 'disabled' : 'active',
          metadata,
          at(now - 60 * DAY_MS),
          seen,
          isRevoked(n) ? null : at(now + 30 * DAY_MS),
        ];
      }
    },
  },
  agent_credentials: {
    columns:
      'id, organization_id, agent_instance_id, token_hash, issued_at, expires_at, last_used_at, revoked_at',
    *rows(organization, _membership, now) {
      for (let n = 0; n < FLEET.instances; n++) {
        yield [
          idOf(2, n),
          organization,
          idOf(1, n),
          '\\\\x00',
          at(now - 60 * DAY_MS),
          at(now + 30 * DAY_MS),
          at(now - (n % 10_000) * 60_000),
          isRevoked(n) ? at(now - DAY_MS) : null,
        ];
      }
    },
  },
  approval_requests: {
    columns:
      'id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, arguments, ' +
      'timeout, idempotency_key, state, created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope',
    *rows(organization, _membership, now) {
      const instances = instancesByAgent();
      for (let n = 0; n < FLEET.requests; n++) {
        // In the order of their creation, as a table grows.
        const agent = agentOf((n * 7_919) % FLEET.requests, LARGE.requests);
        const own = instances[agent] ?? [];
        const instance = own[n % own.length] ?? 0;
        const waits = n % WAITS === 0;
        const created = at(now - DAYS * DAY_MS + n * ((DAYS * DAY_MS) / FLEET.requests));
        const routed: Cell[] =
          waits || n % 3 === 0 ? [created, 'no_escalation', 'agent'] : [null, null, null];
        yield [
          idOf(3, n),
          organization,
          slugOf(agent),
          `Fleet ${agent}`,
          idOf(1, instance),
          `runner-${instance}`,
          idOf(2, instance),
          'refund',
          '{"payment_id":"pay_81","amount":120.5}',
          '24h',
          String(n),
          waits ? 'pending' : 'approved',
          created,
          at(now + 20 * DAY_MS),
          created,
          created,
          ...routed,
        ];
      }
    },
  },
};

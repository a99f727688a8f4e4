/**
 * The verbs of a scene: agents ask, people decide, time passes; and the views of the API and the
 * database.
 */
import { randomUUID } from 'node:crypto';
import { requestOf, type Adapter } from '../adapter.ts';
import { HttpClient, type ApiResponse, type Json } from '../http.ts';
import { deadlineOf, decide, reachDeadline, stepAt } from './approval-requests.ts';
import type { Cast, PathSpec, SceneAgent } from './cast.ts';
import { claim, claimed, holdersOf, reachLapse, release, verbsOf } from './claims.ts';
import type { TestMember } from './factories.ts';

/** A person calls with their API key; `person.browser` calls with their session. */
export type Who = TestMember | HttpClient;

export interface AskOptions<Agent extends string = string> {
  /** By slug, or an agent created later. Default: the scene's first. */
  readonly agent?: Agent | SceneAgent;
  readonly tool?: string;
  readonly server?: string;
  readonly arguments?: unknown;
  readonly timeout?: string;
  readonly key?: string;
  /** With false no rule runs, and the request stays in evaluation. */
  readonly evaluated?: boolean;
}

export interface Verbs<Agent extends string = string> {
  /**
   * An agent asks through the strict adapter. Without Temporal the rules run at once, and the
   * reconciler stays away.
   */
  readonly ask: (options?: AskOptions<Agent>) => Promise<string>;
  /** Another agent asks, for two days, and its requests take a separate path. */
  readonly askOn: (path: PathSpec, options?: AskOptions) => Promise<string>;
  /** The agent withdraws its request. */
  readonly withdraw: (id: string) => Promise<void>;
  /** Default: approved, with a new idempotency key. */
  readonly decide: (
    who: Who,
    id: string,
    body?: Readonly<Record<string, unknown>>,
    key?: string,
  ) => Promise<ApiResponse>;
  readonly claim: (who: Who, id: string) => Promise<ApiResponse>;
  /** The claim, which must succeed. */
  readonly claimed: (who: Who, id: string) => Promise<Json>;
  readonly release: (who: Who, id: string) => Promise<ApiResponse>;
  /** Adds reviewers to a request: members, or raw ids. */
  readonly addReviewers: (
    who: Who,
    id: string,
    reviewers: readonly unknown[],
  ) => Promise<ApiResponse>;
  /** One step of the workflow at this instant or later. Default: when the next escalation step is due. */
  readonly later: (id: string, floor?: Date) => Promise<void>;
  /** Columns of the organization: `require_mfa`, `claim_timeout_seconds`. */
  readonly settings: (columns: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Replaces the permissions in each policy of the member. */
  readonly permit: (member: TestMember, ...permissions: readonly string[]) => Promise<void>;
  /** By the owner. */
  readonly suspend: (member: TestMember) => Promise<ApiResponse>;
  readonly remove: (member: TestMember) => Promise<ApiResponse>;
  readonly deadlineOf: (id: string) => Promise<Date>;
  /** The request's clock reaches its deadline, and no writer has noticed. */
  readonly reachDeadline: (id: string) => Promise<void>;
  /** The request's clock reaches the end of its claim, and no writer has noticed. */
  readonly reachLapse: (id: string) => Promise<Date>;
  /** The request as its owner reads it. */
  readonly read: (id: string) => Promise<Json>;
  readonly routing: (id: string) => Promise<Json>;
  /** Events of the timeline, oldest first. */
  readonly timeline: (id: string) => Promise<readonly Json[]>;
  /** The timeline's event types without their prefix: `claimed`, `level_notified`. */
  readonly verbsOf: (id: string) => Promise<string[]>;
  /** Ids of the members whose claims have not ended. */
  readonly holdersOf: (id: string) => Promise<string[]>;
  /** Ids of the members notified by a step. Default: of those added by hand. */
  readonly notifiedBy: (id: string, stepKey?: string) => Promise<string[]>;
}

export function verbsFor<Agent extends string>(
  { app, organization, owner, agents, agent: addAgent, path }: Cast<string, string, Agent>,
  { stepsItself }: { readonly stepsItself: boolean },
): Verbs<Agent> {
  const askers = new Map<string, SceneAgent>();
  const [first] = Object.values<SceneAgent>(agents);
  const clientOf = (who: Who) => (who instanceof HttpClient ? who : who.http);
  const at = (id: string, view = '') => `/api/v1/requests/${id}${view}`;
  const read = async (id: string, view?: string) => (await owner.http.get(at(id, view))).body;
  const routing = (id: string) => read(id, '/routing');
  const beforeRules = async (adapter: Adapter) =>
    adapter.at(`${await app.urlBeforeRules()}/api/aap`);
  const askAs = async (asker: SceneAgent, options: Omit<AskOptions, 'agent'>) => {
    const { evaluated = true, key = randomUUID(), ...body } = options;
    const submission = { tool: 'deploy', arguments: {}, timeout: '1h', ...body };
    const adapter = evaluated ? asker.adapter : await beforeRules(asker.adapter);
    const { id } = requestOf(await adapter.create(submission, { idempotencyKey: key }));
    askers.set(id, asker);
    if (stepsItself) return id;
    await app.db('approval_requests').where({ id }).update({ wake_at: null });
    if (evaluated) await stepAt(app, id);
    return id;
  };
  return {
    ask: async ({ agent, ...options } = {}) => {
      const asker = typeof agent === 'object' ? agent : agent === undefined ? first : agents[agent];
      if (!asker) throw new Error('the scene has no agent');
      return await askAs(asker, options);
    },
    askOn: async (spec, { agent: _, ...options } = {}) => {
      const key = `path-${randomUUID()}`;
      await path(key, spec);
      return await askAs(await addAgent(undefined, key), { timeout: '48h', ...options });
    },
    withdraw: async (id) => {
      const asker = askers.get(id);
      if (!asker) throw new Error(`no agent of the scene has asked ${id}`);
      requestOf(await asker.adapter.cancel(id));
    },
    decide: (who, id, body, key) => decide(clientOf(who), id, body, key),
    claim: (who, id) => claim(clientOf(who), id),
    claimed: (who, id) => claimed(clientOf(who), id),
    release: (who, id) => release(clientOf(who), id),
    addReviewers: (who, id, reviewers) => {
      const ids = reviewers.map((each) => (isMember(each) ? each.membershipId : each));
      return clientOf(who).post(at(id, '/reviewers'), { membership_ids: ids });
    },
    later: async (id, floor) => {
      const due = floor ?? new Date(String((await routing(id))['next_at']));
      await stepAt(app, id, due);
    },
    settings: async (columns) => {
      await app.db('organizations').where({ id: organization.id }).update(columns);
    },
    permit: async ({ membershipId }, ...permissions) => {
      const policies = app.db('permission_policies').where({ membership_id: membershipId });
      await policies.update({ permissions });
    },
    suspend: (member) =>
      owner.browser.call('PATCH', memberAt(member), { body: { status: 'suspended' } }),
    remove: (member) => owner.browser.delete(memberAt(member)),
    deadlineOf: (id) => deadlineOf(app, id),
    reachDeadline: (id) => reachDeadline(app, id),
    reachLapse: (id) => reachLapse(app, id),
    read: (id) => read(id),
    routing,
    timeline: async (id) => (await read(id, '/timeline'))['events'] ?? [],
    verbsOf: (id) => verbsOf(app, id),
    holdersOf: (id) => holdersOf(app, id),
    notifiedBy: (id, stepKey = 'added') =>
      app
        .db('notifications')
        .where({ request_id: id, step_key: stepKey })
        .pluck<string[]>('membership_id'),
  };
}

const memberAt = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}`;

const isMember = (value: unknown): value is TestMember =>
  typeof value === 'object' && value !== null && 'membershipId' in value;

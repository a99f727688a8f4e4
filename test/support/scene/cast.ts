/**
 * The cast of a scene by name: people, teams, escalation paths, agents with their pipelines, and
 * makers of more of them.
 */
import { randomUUID } from 'node:crypto';
import { Adapter } from '../adapter.ts';
import { Ledger } from '../adapter/ledger.ts';
import type { TestApp } from '../app.ts';
import { HttpClient } from '../http.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createTeam,
  type Policy,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from './factories.ts';

/** May read, decide and claim requests. */
export const REVIEWER = ['request.read', 'request.decide', 'request.claim'] as const;

/** A policy that grants these permissions in the whole organization. */
export const everywhere = (...permissions: readonly string[]): Policy => ({
  scope_kind: 'organization',
  permissions,
});

/** Permissions in the whole organization, or other properties of a person. */
export type PersonSpec =
  | readonly string[]
  | {
      /** Permissions in the whole organization. */
      readonly can?: readonly string[];
      readonly policies?: readonly Policy[];
      /** Default: the name in the scene, capitalized. */
      readonly displayName?: string;
      readonly status?: 'active' | 'suspended';
    };

/** Members by name, or members and the team's grants. */
export type TeamSpec<Person extends string> =
  | readonly Person[]
  | { readonly members?: readonly Person[]; readonly policies?: readonly Policy[] };

/**
 * The people and teams that a level asks, by name; `everyone` asks all who may decide. A node in
 * the form of the API is sent unchanged.
 */
export type LevelSpec = readonly string[] | Readonly<Record<string, unknown>>;

/** The levels, or a document with levels in `nodes`. */
export type PathSpec =
  | readonly LevelSpec[]
  | ({ readonly nodes: readonly LevelSpec[] } & Readonly<Record<string, unknown>>);

/** The key of the path for all requests, or a pipeline document. An empty one is not activated. */
export type PipelineSpec = string | Readonly<Record<string, unknown>>;

export interface CastSpec<Person extends string, Team extends string, Agent extends string> {
  readonly people?: Readonly<Record<Person, PersonSpec>>;
  readonly teams?: Readonly<Record<Team, TeamSpec<NoInfer<Person>>>>;
  /** By path key. */
  readonly paths?: Readonly<Record<string, PathSpec>>;
  /** By the agent's slug. */
  readonly pipelines?: Readonly<Record<Agent, PipelineSpec>>;
}

export type SceneAgent = TestAgent & {
  /** Refuses every response that a standard adapter would refuse. */
  readonly adapter: Adapter;
  /** Any call with the agent's credential. */
  readonly http: HttpClient;
};

export interface Cast<
  Person extends string = string,
  Team extends string = string,
  Agent extends string = string,
> {
  readonly app: TestApp;
  readonly organization: TestOrganization;
  readonly owner: TestMember;
  readonly people: Readonly<Record<Person, TestMember>>;
  /** Ids. */
  readonly teams: Readonly<Record<Team, string>>;
  readonly agents: Readonly<Record<Agent, SceneAgent>>;
  /** Ids of the nodes of each path. */
  readonly nodes: Readonly<Record<string, readonly string[]>>;
  /** A further member. */
  readonly person: (spec?: PersonSpec) => Promise<TestMember>;
  /** A further agent. */
  readonly agent: (slug?: string, pipeline?: PipelineSpec) => Promise<SceneAgent>;
  /** Puts another path into force, and returns the ids of its nodes. */
  readonly path: (key: string, spec: PathSpec) => Promise<readonly string[]>;
  /** Gives an agent, or `organization`, another pipeline. */
  readonly pipeline: (slug: string, spec: PipelineSpec) => Promise<void>;
}

export async function castOf<Person extends string, Team extends string, Agent extends string>(
  app: TestApp,
  organization: TestOrganization,
  spec: CastSpec<Person, Team, Agent>,
): Promise<Cast<Person, Team, Agent>> {
  const { owner } = organization;
  const people = new Map<string, TestMember>([['owner', owner]]);
  for (const [name, each] of entries<PersonSpec>(spec.people))
    people.set(
      name,
      await addPerson(app, organization, { displayName: capital(name), spec: each }),
    );
  const teams = new Map<string, string>();
  for (const [name, each] of entries<TeamSpec<string>>(spec.teams))
    teams.set(name, await addTeam(app, organization, { name, spec: each, people }));
  const targetOf = (name: string) => targetNamed(name, { people, teams });
  const path: Cast['path'] = (key, each) => addPath(owner, { key, spec: each, targetOf });
  const nodes: Record<string, readonly string[]> = {};
  for (const [key, each] of entries<PathSpec>(spec.paths)) nodes[key] = await path(key, each);
  const agent: Cast['agent'] = (slug, pipeline = {}) =>
    addAgent(app, organization, { slug, pipeline });
  const agents = new Map<string, SceneAgent>();
  const pipelines = spec.pipelines ?? { bot: Object.keys(nodes)[0] ?? {} };
  for (const [slug, pipeline] of entries<PipelineSpec>(pipelines))
    agents.set(slug, await agent(slug, pipeline));
  return {
    app,
    organization,
    owner,
    people: Object.fromEntries(people) as Record<Person, TestMember>,
    teams: Object.fromEntries(teams) as Record<Team, string>,
    agents: Object.fromEntries(agents) as Record<Agent, SceneAgent>,
    nodes,
    person: (each = []) => addPerson(app, organization, { spec: each }),
    agent,
    path,
    pipeline: (slug, document) => activate(owner, slug, document),
  };
}

const entries = <Value>(named: object | undefined): [string, Value][] =>
  Object.entries(named ?? {}) as [string, Value][];

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

async function addPerson(
  app: TestApp,
  { id }: TestOrganization,
  { displayName, spec }: { displayName?: string; spec: PersonSpec },
): Promise<TestMember> {
  const { can = [], policies = [], ...more } = isList(spec) ? { can: spec } : spec;
  const granted = can.length > 0 ? [everywhere(...can), ...policies] : policies;
  return await createMember(app, id, {
    ...(displayName !== undefined && { displayName }),
    ...more,
    policies: granted,
  });
}

async function addTeam(
  app: TestApp,
  { id }: TestOrganization,
  {
    name,
    spec,
    people,
  }: { name: string; spec: TeamSpec<string>; people: ReadonlyMap<string, TestMember> },
): Promise<string> {
  const { members = [], policies = [] } = isList(spec) ? { members: spec } : spec;
  return await createTeam(app, id, {
    name,
    members: members.map((member) => of(people, member)),
    policies,
  });
}

async function addPath(
  owner: TestMember,
  { key, spec, targetOf }: { key: string; spec: PathSpec; targetOf: (name: string) => object },
): Promise<readonly string[]> {
  const document = isList(spec) ? { nodes: spec } : spec;
  const nodes = document.nodes.map((level) => ({
    id: randomUUID() as string,
    ...(isList(level)
      ? { type: 'level', targets: level.map(targetOf), escalate_after: '10m' }
      : level),
  }));
  await activatePath(owner, { path_key: key, name: key, ...document, nodes });
  return nodes.map(({ id }) => id);
}

function targetNamed(
  name: string,
  {
    people,
    teams,
  }: { people: ReadonlyMap<string, TestMember>; teams: ReadonlyMap<string, string> },
): object {
  if (name === 'everyone') return { type: 'broadcast' };
  const team = teams.get(name);
  if (team !== undefined) return { type: 'team', id: team };
  return { type: 'user', id: of(people, name).membershipId };
}

async function addAgent(
  app: TestApp,
  organization: TestOrganization,
  { slug, pipeline }: { slug: string | undefined; pipeline: PipelineSpec },
): Promise<SceneAgent> {
  const agent = await createAgent(app, organization, slug);
  await activate(organization.owner, agent.slug, pipeline);
  const { credential } = agent;
  const baseUrl = `${app.url}/api/aap`;
  return {
    ...agent,
    adapter: new Adapter({ baseUrl, credential, ledger: new Ledger() }),
    http: new HttpClient(app.url, { authorization: `Bearer ${credential}` }),
  };
}

async function activate(owner: TestMember, slug: string, spec: PipelineSpec): Promise<void> {
  const document = typeof spec === 'string' ? { default_escalation_path: spec } : spec;
  if (Object.keys(document).length === 0) return;
  const scope = slug === 'organization' ? slug : `agents/${slug}`;
  await activatePipeline(owner, scope, { blocks: [], ...document });
}

const isList = <Item>(value: readonly Item[] | object): value is readonly Item[] =>
  Array.isArray(value);

function of<Value>(named: ReadonlyMap<string, Value>, name: string): Value {
  const value = named.get(name);
  if (value === undefined) throw new Error(`the scene has no ${name}`);
  return value;
}

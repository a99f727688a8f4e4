/** What the service has now. */
import { OperatorError } from '../../src/platform/operator-error.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../src/platform/json/exact-values.ts';
import { KEY_PATTERN } from '../../src/domain/keys.ts';
import { fileNameOf, presentationKey, type Kind } from './documents/kinds.ts';
import { normal } from './documents/normal.ts';
import { folded, type Directory } from './documents/people.ts';
import type { Service } from './service.ts';

/** A document of the service. */
export interface LiveDocument {
  readonly kind: Kind;
  readonly key: string;
  /** As an export names its file, without `.yaml`. */
  readonly name: string;
  /** Where the API has it. */
  readonly path: string;
  readonly isArchived: boolean;
  /** Of kinds with revisions: the active one, 0 without, and the newest. */
  readonly active: number;
  readonly latest: number;
  /** The name of an agent or a team. */
  readonly title?: string;
  /** What is in force, in the form of the API and without defaults. Undefined while nothing is. */
  readonly read: () => Promise<
    { readonly body: ExactObject; readonly etag: string | undefined } | undefined
  >;
}

export interface Live {
  readonly directory: Directory;
  readonly documents: readonly LiveDocument[];
  readonly find: (kind: Kind, key: string) => LiveDocument | undefined;
}

/** Which members of a response are the document. */
const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  settings: [
    'claim_timeout',
    'personal_api_keys_allowed',
    'max_api_key_lifetime',
    'require_mfa',
    'reauthentication_window',
    'agent_pending_share',
    'hidden_names',
  ],
  agents: ['name', 'status', 'resume', 'approval_window'],
  'webhook-endpoints': ['name', 'url'],
  'team-policies': ['working_hours', 'nodes', 'repeat'],
  'escalation-paths': ['name', 'working_hours', 'nodes', 'repeat'],
  pipelines: ['default_escalation_path', 'blocks'],
  presentations: ['tool', 'server', 'title', 'fields'],
};

const V1 = '/api/v1';
const PIPELINES = `${V1}/request-approval-pipelines`;

/** Reads the lists of these kinds. Names need `directory`, which takes the permissions to see members and teams. */
export async function readLive(
  service: Service,
  kinds: ReadonlySet<Kind>,
  { people }: { readonly people: boolean },
): Promise<Live> {
  const directory = people ? await directoryOf(service) : { people: [], teams: [] };
  const documents: LiveDocument[] = [];
  for (const kind of kinds) documents.push(...distinct(await LISTS[kind](service)));
  const found = new Map(documents.map((one) => [`${one.kind} ${one.key}`, one]));
  return { directory, documents, find: (kind, key) => found.get(`${kind} ${key}`) };
}

/** Those whose files would have one name are all marked, so that a name means the same whatever there is besides. */
function distinct(documents: readonly LiveDocument[]): readonly LiveDocument[] {
  const counts = new Map<string, number>();
  for (const { name } of documents) counts.set(name, (counts.get(name) ?? 0) + 1);
  return documents.map((one) =>
    counts.get(one.name) === 1
      ? one
      : { ...one, name: fileNameOf(one.kind, one.key, new Set([one.name])) },
  );
}

async function directoryOf(service: Service): Promise<Directory> {
  const members = await service.list(`${V1}/members`, 'members');
  const teams = await service.list(`${V1}/teams`, 'teams');
  const isRemoved = ({ status }: ExactObject): boolean => status === 'deprovisioned';
  const person = ({ id, email }: ExactObject) => ({ id: text(id), email: text(email) });
  return {
    people: members.filter((member) => !isRemoved(member)).map(person),
    removed: members.filter(isRemoved).map(person),
    teams: teams.map(({ id, name }) => ({ id: text(id), name: text(name) })),
  };
}

const text = (value: ExactValue | undefined): string => (typeof value === 'string' ? value : '');
/** A key becomes part of the path of a file, so nothing else may pass for one. */
function keyIn(value: ExactValue | undefined): string {
  const key = text(value);
  if (KEY_PATTERN.test(key)) return key;
  throw new OperatorError(`The service names ${JSON.stringify(key)}, which is no key.`);
}

const count = (value: ExactValue | undefined): number => (typeof value === 'number' ? value : 0);

const LISTS: Readonly<Record<Kind, (service: Service) => Promise<readonly LiveDocument[]>>> = {
  settings: (service) => {
    const read = async () => {
      const { value, etag } = await service.call('GET', `${V1}/organization`);
      const { settings } = value;
      return { body: bodyOf('settings', isExactObject(settings) ? settings : {}), etag };
    };
    const path = `${V1}/organization`;
    return Promise.resolve([
      { ...withoutRevisions('settings', ''), path, isArchived: false, read },
    ]);
  },
  agents: async (service) => {
    const agents = await service.list(`${V1}/agents?status=all`, 'agents');
    return agents.map((agent) => {
      const { status, ...rest } = agent;
      const isArchived = status === 'archived';
      const body = bodyOf('agents', isArchived ? rest : agent);
      const slug = keyIn(agent['slug']);
      const path = `${V1}/agents/${slug}`;
      const read = () => Promise.resolve(isArchived ? undefined : { body, etag: undefined });
      const title = text(agent['name']);
      return { ...withoutRevisions('agents', slug), path, isArchived, read, title };
    });
  },
  'webhook-endpoints': async (service) =>
    (await service.list(`${V1}/webhook_endpoints`, 'webhook_endpoints')).map((summary) => {
      const key = keyIn(summary['endpoint_key']);
      const path = `${V1}/webhook_endpoints/${key}`;
      return revisioned(service, summary, { kind: 'webhook-endpoints', key, path });
    }),
  'team-policies': async (service) =>
    (await service.list(`${V1}/teams`, 'teams')).map((team) => {
      const policy = isExactObject(team['escalation_policy']) ? team['escalation_policy'] : {};
      const path = `${V1}/teams/${text(team['id'])}/escalation-policy`;
      const title = text(team['name']);
      const of = { kind: 'team-policies', key: folded(title), path } as const;
      return { ...revisioned(service, policy, of), title };
    }),
  'escalation-paths': async (service) =>
    (await service.list(`${V1}/escalation-paths?status=all`, 'escalation_paths')).map((summary) => {
      const key = keyIn(summary['path_key']);
      const path = `${V1}/escalation-paths/${key}`;
      return revisioned(service, summary, { kind: 'escalation-paths', key, path });
    }),
  pipelines: async (service) =>
    (await service.list(PIPELINES, 'request_approval_pipelines')).map((summary) => {
      const isOrganization = summary['scope'] === 'organization';
      const key = isOrganization ? 'organization' : `agents/${keyIn(summary['agent_slug'])}`;
      return revisioned(service, summary, { kind: 'pipelines', key, path: `${PIPELINES}/${key}` });
    }),
  presentations: async (service) => {
    const path = `${V1}/tool_presentations`;
    const entries = await service.list(`${path}?source=organization`, 'tool_presentations');
    return entries.map((entry) => {
      const body = bodyOf('presentations', entry);
      const key = presentationKey(body);
      const at = `${path}/${text(entry['id'])}`;
      const read = async () => ({ body, etag: (await service.call('GET', at)).etag });
      return { ...withoutRevisions('presentations', key), path: at, isArchived: false, read };
    });
  },
};

const withoutRevisions = (kind: Kind, key: string) =>
  ({ kind, key, name: fileNameOf(kind, key, new Set()), active: 0, latest: 0 }) as const;

function revisioned(
  service: Service,
  summary: ExactObject,
  { kind, key, path }: { readonly kind: Kind; readonly key: string; readonly path: string },
): LiveDocument {
  const active = count(summary['active_revision']);
  return {
    ...{ kind, key, path, active, latest: count(summary['latest_revision']) },
    name: fileNameOf(kind, key, new Set()),
    isArchived: typeof summary['archived_at'] === 'string',
    read: async () =>
      active === 0 ? undefined : await readRevision(service, { kind, path, revision: active }),
  };
}

/** One revision, in the form of the API and without defaults. */
export async function readRevision(
  service: Service,
  {
    kind,
    path,
    revision,
  }: { readonly kind: Kind; readonly path: string; readonly revision: number },
): Promise<{ readonly body: ExactObject; readonly etag: string }> {
  const { value } = await service.call('GET', `${path}/revisions/${String(revision)}`);
  return { body: bodyOf(kind, value), etag: `"${String(revision)}"` };
}

/** An agent as it is now. Agents have no revision that a change could name. */
export async function readAgent(service: Service, path: string): Promise<ExactObject> {
  return bodyOf('agents', (await service.call('GET', path)).value);
}

function bodyOf(kind: Kind, value: ExactObject): ExactObject {
  const body: ExactObject = {};
  for (const name of MEMBERS[kind]) {
    const member = value[name];
    if (member !== undefined) body[name] = member;
  }
  const read = normal(kind, body);
  if (read.ok) return read.value;
  const [issue] = read.issues;
  throw new OperatorError(
    `The service has a document of ${kind} that this version of countersign does not understand (${issue?.pointer ?? ''} ${issue?.message ?? ''}). Use the version of the service.`,
  );
}

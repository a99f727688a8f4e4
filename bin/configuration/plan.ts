/** What has to change so that the service is as the folder says. */
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../src/platform/json/exact-values.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';
import {
  namedEndpoints,
  namedEscalationPaths,
  parsePipelineDocument,
} from '../../src/domain/pipelines/parse.ts';
import { differencesOf, type Difference } from './documents/differences.ts';
import { KINDS, type Kind } from './documents/kinds.ts';
import { normal, partOf } from './documents/normal.ts';
import { shortIdsIn } from './documents/node-ids.ts';
import { withIds, withNames, withRemoved, type DocumentIssue } from './documents/people.ts';
import { said, type Declared, type FileFault, type Folder } from './folder.ts';
import { readLive, type Live, type LiveDocument } from './live.ts';
import type { Service } from './service.ts';

export type Action = 'create' | 'change' | 'restore' | 'archive';

export interface Change {
  readonly action: Action;
  readonly kind: Kind;
  readonly key: string;
  readonly name: string;
  readonly differences: readonly Difference[];
  /** Absent for what is archived. */
  readonly declared?: Declared;
  /** In the form of the API. */
  readonly body: ExactObject;
  readonly live?: LiveDocument;
  /** What was read, for `If-Match`. */
  readonly etag?: string | undefined;
}

export interface Plan {
  /** In the order in which they are applied. */
  readonly changes: readonly Change[];
  /** What the service has and the folder has not, by name. Stays as it is. */
  readonly left: readonly string[];
  readonly faults: readonly FileFault[];
  readonly live: Live;
  readonly declared: readonly Declared[];
}

/** Names of documents to archive; `all` for whatever the folder does not have. */
export type Prune = readonly string[];

export async function planOf(service: Service, folder: Folder, prune: Prune): Promise<Plan> {
  const { declared } = folder;
  if (declared.length === 0 && prune.length > 0)
    throw new OperatorError(
      'The folder has no documents, so --prune would be about everything. Check the path of the folder.',
    );
  const live = await readLive(service, kindsOf(declared, prune), { people: declared.some(named) });
  const faults: FileFault[] = [];
  const changes: Change[] = [];
  for (const one of declared) {
    const { issues, body } = resolved(one, live);
    const references = body ? unknownReferences(body, one, { live, declared }) : [];
    for (const { pointer, message } of [...issues, ...references])
      faults.push({ file: one.file, ...one.placeOf(pointer), message: said(pointer, message) });
    if (!body || references.length > 0) continue;
    const change = await changeOf(one, body, live);
    if (typeof change === 'string')
      faults.push({ file: one.file, line: 1, column: 1, message: change });
    else if (change) changes.push(change);
  }
  const { archived, left, unknown } = pruned(declared, live, prune);
  const [name] = unknown;
  if (name !== undefined)
    throw new OperatorError(
      `--prune ${name}: the service has no such document, the folder has it, or its kind is never archived.`,
    );
  return { changes: [...changes, ...archived], left, faults, live, declared };
}

const named = ({ kind }: Declared): boolean =>
  kind === 'team-policies' || kind === 'escalation-paths';

/** Kinds that the folder has, those that they name, and those to archive. */
function kindsOf(declared: readonly Declared[], prune: Prune): ReadonlySet<Kind> {
  const kinds = new Set(declared.map(({ kind }) => kind));
  if (kinds.has('pipelines'))
    for (const kind of ['escalation-paths', 'agents'] as const) kinds.add(kind);
  const endpoints = declared.some(
    ({ kind, body }) => kind === 'pipelines' && hasWebhook(body['blocks']),
  );
  if (endpoints) kinds.add('webhook-endpoints');
  for (const kind of KINDS) if (prune.some((name) => name.startsWith(`${kind}/`))) kinds.add(kind);
  return new Set(KINDS.filter((kind) => kinds.has(kind)));
}

function hasWebhook(blocks: ExactValue | undefined): boolean {
  if (!Array.isArray(blocks)) return false;
  return blocks.some((block) => {
    if (!isExactObject(block)) return false;
    const { type, config } = block;
    return type === 'webhook' || (isExactObject(config) && hasWebhook(config['blocks']));
  });
}

interface Body {
  readonly issues: readonly DocumentIssue[];
  /** In the form of the API and without defaults; undefined where something is wrong. */
  readonly body?: ExactObject;
}

function resolved(one: Declared, live: Live): Body {
  const { kind, key } = one;
  const { value, issues } = named(one)
    ? withIds(one.body, `${kind}/${key}`, live.directory)
    : { value: one.body, issues: [] };
  if (issues.length > 0) return { issues };
  const read = normal(kind, value);
  return read.ok ? { issues: [], body: read.value } : { issues: read.issues };
}

/** Paths and endpoints that neither the service nor the folder has, agents, and teams. */
function unknownReferences(
  body: ExactObject,
  { kind, key }: Declared,
  { live, declared }: { readonly live: Live; readonly declared: readonly Declared[] },
): DocumentIssue[] {
  const exists = (of: Kind, name: string): boolean =>
    declared.some((one) => one.kind === of && one.key === name) ||
    live.find(of, name)?.isArchived === false;
  if (kind === 'team-policies')
    return live.find(kind, key)
      ? []
      : [{ pointer: '/team', message: 'is no team of the organization: create it, or correct it' }];
  if (kind !== 'pipelines') return [];
  const issues: DocumentIssue[] = [];
  const slug = key.replace(/^agents\//, '');
  if (key !== 'organization' && !exists('agents', slug))
    issues.push({
      pointer: '',
      message: `the service has no agent ${slug}: add agents/${slug}.yaml`,
    });
  const parsed = parsePipelineDocument(body, 'hosted');
  if (!parsed.ok) return issues;
  const { document } = parsed;
  const unknown = (pointer: string, noun: string, name: string) =>
    issues.push({
      pointer,
      message: `names the ${noun} ${name}, which neither the folder nor the service has`,
    });
  for (const { pathKey, pointer } of namedEscalationPaths(document))
    if (!exists('escalation-paths', pathKey)) unknown(pointer, 'escalation path', pathKey);
  for (const { endpointKey, pointer } of namedEndpoints(document))
    if (!exists('webhook-endpoints', endpointKey))
      unknown(pointer, 'webhook endpoint', endpointKey);
  return issues;
}

/** Undefined where nothing changes; text for people where nothing can. */
async function changeOf(
  declared: Declared,
  body: ExactObject,
  { find, directory }: Live,
): Promise<Change | string | undefined> {
  const { kind, key, name } = declared;
  const live = find(kind, key);
  const of = { kind, key, name, declared, body, ...(live && { live }) };
  if (live?.isArchived && kind === 'escalation-paths')
    return 'was archived, which is for good: choose another key';
  const isRestored = live?.isArchived === true && kind === 'agents';
  const current = await live?.read();
  if (!current) {
    const isNew = !live || (kind !== 'agents' && live.active === 0);
    const differences = differencesOf({}, shownAs(declared, body, directory));
    return { ...of, action: isRestored ? 'restore' : isNew ? 'create' : 'change', differences };
  }
  const before = partOf(kind, current.body, body);
  const differences = differencesOf(
    shownAs(declared, before, directory),
    shownAs(declared, body, directory),
  );
  return differences.length === 0
    ? undefined
    : { ...of, action: 'change', differences, etag: current.etag };
}

/** As files have it. */
function shownAs(declared: Declared, body: ExactObject, directory: Live['directory']): ExactObject {
  if (!named(declared)) return body;
  const { kind, key } = declared;
  return withNames(body, shortIdsIn(`${kind}/${key}`, declared.body), withRemoved(directory));
}

/** The last ones to be named by others come first. */
const PRUNABLE: readonly Kind[] = [
  'presentations',
  'agents',
  'escalation-paths',
  'team-policies',
  'webhook-endpoints',
];

function pruned(declared: readonly Declared[], live: Live, prune: Prune) {
  const isDeclared = ({ kind, key }: LiveDocument): boolean =>
    declared.some((one) => one.kind === kind && one.key === key);
  const isThere = ({ kind, active, isArchived }: LiveDocument): boolean =>
    !isArchived && (kind !== 'team-policies' || active > 0);
  const kinds = new Set(declared.map(({ kind }) => kind));
  const others = live.documents.filter(
    (one) => PRUNABLE.includes(one.kind) && isThere(one) && !isDeclared(one),
  );
  const isWanted = ({ name, kind }: LiveDocument): boolean =>
    prune.includes(name) || (prune.includes('all') && kinds.has(kind));
  const archived = PRUNABLE.flatMap((kind) => others.filter((one) => one.kind === kind))
    .filter(isWanted)
    .map((one): Change => ({
      ...{ action: 'archive', kind: one.kind, key: one.key, name: one.name, live: one },
      ...{ differences: [], body: {}, etag: `"${String(one.active)}"` },
    }));
  const names = new Set(archived.map(({ name }) => name));
  return {
    archived,
    left: others
      .filter((one) => !names.has(one.name) && kinds.has(one.kind))
      .map(({ name }) => name),
    unknown: prune.filter((name) => name !== 'all' && !names.has(name)),
  };
}

/** Makes the changes of a plan, one after the other, and stops at the first that is refused. */
import { AGENT } from './documents/defaults.ts';
import type { ExactObject } from '../../src/platform/json/exact-values.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { differencesOf } from './documents/differences.ts';
import type { Kind } from './documents/kinds.ts';
import { said, type FileFault } from './folder.ts';
import { readAgent, readRevision } from './live.ts';
import type { Change } from './plan.ts';
import type { SecretKeeper } from './secrets.ts';
import { Refusal, type Service } from './service.ts';

export interface Applied {
  readonly done: readonly string[];
  /** Where it stopped, and why. */
  readonly stopped?: {
    readonly name: string;
    readonly faults: readonly FileFault[];
    readonly message: string;
  };
  readonly notDone: readonly string[];
}

export interface Applying {
  readonly service: Service;
  /** Opened only for a change that creates an endpoint. */
  readonly secrets: SecretKeeper | undefined;
  readonly onDone: (change: Change) => void;
}

export async function applyChanges(changes: readonly Change[], on: Applying): Promise<Applied> {
  const done: string[] = [];
  for (const [index, change] of changes.entries()) {
    try {
      await make(change, on);
    } catch (error) {
      const notDone = changes.slice(index).map(({ name }) => name);
      return { done, notDone, stopped: { name: change.name, ...reasonOf(change, error) } };
    }
    done.push(change.name);
    on.onDone(change);
  }
  return { done, notDone: [] };
}

/**
 * Compares again after the last change. Another apply at the same time may have changed what this one has read, and some changes
 * have no revision to compare.
 */
export async function verified(
  applied: Applied,
  planAgain: () => Promise<readonly Pick<Change, 'name'>[]>,
): Promise<Applied> {
  const { done, stopped } = applied;
  if (stopped || done.length === 0) return applied;
  const [first, ...others] = (await planAgain()).map(({ name }) => name);
  if (first === undefined) return applied;
  const message = `Someone else changed it meanwhile, such as another apply. Look at their change, and plan again.`;
  return { done, notDone: [first, ...others], stopped: { name: first, faults: [], message } };
}

/** With the lines of the file that the service objects to. */
function reasonOf({ declared, kind }: Change, error: unknown) {
  if (error instanceof OperatorError)
    return { faults: [], message: `${error.message} It may be done nevertheless: plan again.` };
  if (!(error instanceof Refusal)) throw error;
  const faults = declared
    ? error.issues.map(({ pointer, message }): FileFault => {
        const inFile = kind === 'settings' ? pointer.replace(/^\/settings/, '') : pointer;
        return { file: declared.file, ...declared.placeOf(inFile), message: said(inFile, message) };
      })
    : [];
  const isStale = error.status === 412 || MEANWHILE.includes(error.code);
  const message = isStale
    ? `Someone else changed it meanwhile: ${error.message} Look at their change, and plan again.`
    : error.message;
  return { faults, message };
}

/** A document that was not there when the plan was made. */
const MEANWHILE = ['agent_slug_taken', 'escalation_path_exists', 'presentation_exists'];

async function make(change: Change, on: Applying): Promise<void> {
  const { action, kind } = change;
  if (action === 'archive') await archive(change, on.service);
  else if (kind === 'settings') await patchSettings(change, on.service);
  else if (kind === 'agents') await makeAgent(change, on.service);
  else if (kind === 'presentations') await makePresentation(change, on.service);
  else await makeRevision(change, on);
}

/** Members of the first level that differ. */
function changedMembers(before: ExactObject, after: ExactObject): ExactObject {
  const changed: ExactObject = {};
  for (const [name, value] of Object.entries(after))
    if (differencesOf({ [name]: before[name] ?? null }, { [name]: value }).length > 0)
      changed[name] = value;
  return changed;
}

async function patchSettings({ live, body, etag }: Change, service: Service): Promise<void> {
  const current = await live?.read();
  const settings = changedMembers(current?.body ?? {}, body);
  await service.call('PATCH', '/api/v1/organization', { body: { settings }, ifMatch: etag });
}

async function makeAgent({ action, key, body, live }: Change, service: Service): Promise<void> {
  const path = `/api/v1/agents/${key}`;
  const { name } = body;
  if (action === 'create')
    await service.call('POST', '/api/v1/agents', { body: { slug: key, name } });
  if (action === 'restore') await service.call('POST', `${path}/restore`);
  const current = await live?.read();
  if (action === 'change' && current)
    if (differencesOf(current.body, await readAgent(service, path)).length > 0)
      throw new Refusal(412, { code: 'changed', message: 'The agent is not as it was.' });
  const before: ExactObject =
    action === 'change'
      ? { ...AGENT, ...current?.body }
      : {
          status: 'active',
          ...(action === 'create' ? { name: name ?? null, ...AGENT } : {}),
        };
  const patch = changedMembers(before, { ...AGENT, ...body });
  if (Object.keys(patch).length > 0) await service.call('PATCH', path, { body: patch });
}

async function makePresentation({ live, body, etag }: Change, service: Service): Promise<void> {
  if (live) await service.call('PUT', live.path, { body, ifMatch: etag });
  else await service.call('POST', '/api/v1/tool_presentations', { body });
}

const BASES: Partial<Record<Kind, string>> = {
  'webhook-endpoints': '/api/v1/webhook_endpoints',
  'escalation-paths': '/api/v1/escalation-paths',
  pipelines: '/api/v1/request-approval-pipelines',
};

async function makeRevision(change: Change, on: Applying): Promise<void> {
  const { kind, key, live } = change;
  const path = live?.path ?? `${BASES[kind] ?? ''}/${key}`;
  // A pipeline is born with its agent, whose creation may be part of this plan.
  const active = live?.active ?? (kind === 'pipelines' ? 1 : 0);
  const revision =
    (await leftRevision(change, on.service)) ?? (await createRevision(change, path, on));
  await on.service.call('POST', `${path}/revisions/${String(revision)}/activate`, {
    ifMatch: `"${String(active)}"`,
  });
}

/** The newest revision, where an apply that was interrupted left just what is wanted. */
async function leftRevision(
  { kind, live, body }: Change,
  service: Service,
): Promise<number | undefined> {
  if (!live || live.latest <= live.active) return undefined;
  const { path, latest: revision } = live;
  const left = await readRevision(service, { kind, path, revision });
  return differencesOf(left.body, body).length === 0 ? revision : undefined;
}

async function createRevision(
  { kind, key, live, body }: Change,
  path: string,
  { service, secrets }: Applying,
): Promise<number> {
  const isNewPath = kind === 'escalation-paths' && !live;
  const { value } = isNewPath
    ? await service.call('POST', BASES[kind] ?? '', { body: { path_key: key, ...body } })
    : await service.call('POST', `${path}/revisions`, { body });
  const { signing_secret: secret, revision } = value;
  if (typeof secret === 'string') await secrets?.keep(key, secret);
  if (typeof revision !== 'number')
    throw new OperatorError('The service does not answer as Countersign does.');
  return revision;
}

async function archive({ kind, live, etag }: Change, service: Service): Promise<void> {
  const path = live?.path ?? '';
  const hasActive = kind === 'team-policies' || kind === 'webhook-endpoints';
  await service.call('DELETE', hasActive ? `${path}/active` : path, {
    ...(hasActive && { ifMatch: etag }),
  });
}

/** Whether the plan creates an endpoint, whose secret has to go somewhere. */
export const createsSecrets = (changes: readonly Change[]): boolean =>
  changes.some(({ kind, live }) => kind === 'webhook-endpoints' && !live);

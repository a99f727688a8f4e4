/** The state of agents, instances and credentials, as the pages word it. Pure. */
import type { AgentDetail, Credential, Instance, ListedAgent, Provisioner } from './agents-data.ts';

const DAY_MS = 24 * 60 * 60_000;

type Worry = 'none' | 'soon' | 'urgent';

/** How soon something ends: amber in two weeks, red in two days. */
export function worryOf(end: string | undefined, now: number): Worry {
  if (end === undefined) return 'none';
  const left = Date.parse(end) - now;
  if (left < 2 * DAY_MS) return 'urgent';
  return left < 14 * DAY_MS ? 'soon' : 'none';
}

type Ended = Pick<Credential, 'expires_at'> & { readonly revoked_at?: string | undefined };

export const isWorking = ({ expires_at: end, revoked_at: revoked }: Ended, now: number): boolean =>
  revoked === undefined && Date.parse(end) > now;

export const workingCredentials = (
  { credentials }: Pick<Instance, 'credentials'>,
  now: number,
): readonly Credential[] => credentials.filter((each) => isWorking(each, now));

/** An adapter that still uses a credential calls more often. */
const SILENT_MS = 5 * 60_000;

/** Not used since it can be replaced: revoking it stops nothing that still runs with it. */
export function isSilent({ last_used_at: used }: Pick<Credential, 'last_used_at'>, now: number) {
  return used === undefined || now - Date.parse(used) > SILENT_MS;
}

export type InstanceState = 'live' | 'paused' | 'cut';

export function instanceState(instance: Pick<Instance, 'status' | 'credentials'>, now: number) {
  if (instance.status === 'disabled') return 'paused';
  return workingCredentials(instance, now).length > 0 ? 'live' : 'cut';
}

export type AgentState = 'live' | 'unconnected' | 'cut' | 'paused' | 'archived';

type Counted = Pick<ListedAgent | AgentDetail, 'status' | 'instance_count' | 'live_instance_count'>;

export function agentState(agent: Counted): AgentState {
  if (agent.status === 'archived') return 'archived';
  if (agent.status === 'disabled') return 'paused';
  if (agent.live_instance_count > 0) return 'live';
  return agent.instance_count > 0 ? 'cut' : 'unconnected';
}

const TROUBLE: Readonly<Record<AgentState, number>> = {
  cut: 0,
  paused: 2,
  live: 3,
  unconnected: 4,
  archived: 5,
};

/** What needs someone first: without access, about to lose it, paused. Others keep their order. */
export function byTrouble<Agent extends ListedAgent>(
  agents: readonly Agent[],
  now: number,
): readonly Agent[] {
  const rank = (agent: Agent): number => {
    if (agent.demo) return TROUBLE.live;
    const state = agentState(agent);
    const endsSoon = state === 'live' && worryOf(agent.access_ends_at, now) !== 'none';
    return endsSoon ? 1 : TROUBLE[state];
  };
  return agents.toSorted((one, other) => rank(one) - rank(other));
}

type ProvisionerState = 'works' | 'expired' | 'revoked';

export function provisionerState(provisioner: Provisioner, now: number): ProvisionerState {
  if (provisioner.revoked_at !== undefined) return 'revoked';
  return isWorking(provisioner, now) ? 'works' : 'expired';
}

/** Without which a group of replicas is shown one by one. */
const FOLDED_FROM = 5;

export interface InstanceGroup {
  /** What the names of the group begin with. Absent for a single instance. */
  readonly prefix: string | undefined;
  readonly instances: readonly Instance[];
}

/** `worker-1` to `worker-200` are one group, at the place of the first. */
export function groupsOf(instances: readonly Instance[]): readonly InstanceGroup[] {
  const prefixOf = ({ name }: Instance) =>
    /^(?<prefix>.+[-_.])[^-_.]+$/.exec(name)?.groups?.['prefix'];
  const members = new Map<string, Instance[]>();
  for (const instance of instances) {
    const prefix = prefixOf(instance);
    if (prefix !== undefined) members.set(prefix, [...(members.get(prefix) ?? []), instance]);
  }
  const done = new Set<string>();
  return instances.flatMap((instance): readonly InstanceGroup[] => {
    const prefix = prefixOf(instance);
    const group = prefix === undefined ? [] : (members.get(prefix) ?? []);
    if (prefix === undefined || group.length < FOLDED_FROM)
      return [{ prefix: undefined, instances: [instance] }];
    if (done.has(prefix)) return [];
    done.add(prefix);
    return [{ prefix, instances: group }];
  });
}

/** `laptop` is taken: `laptop-2` may be free. */
export function nextName(name: string): string {
  const { stem = name, number = '1' } = /^(?<stem>.*)-(?<number>\d{1,6})$/.exec(name)?.groups ?? {};
  return `${stem}-${Number(number) + 1}`;
}

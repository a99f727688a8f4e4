/** One agent with its counts and a page each of its instances and provisioner tokens. */
import type { ListedInstance } from '../../domain/agents/agent-instances.ts';
import type { AgentProvisioner } from '../../domain/agents/agent-provisioners.ts';
import type { AgentCreator } from '../../domain/agents/agents.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { readActivity, readHistory } from '../../data/agents/agent-activity.ts';
import {
  countMatchingInstances,
  listInstances,
  type AgentPage,
  type InstanceFilter,
} from '../../data/agents/agent-instance-lists.ts';
import {
  countProvisioners,
  listProvisioners,
  type ProvisionerFilter,
} from '../../data/agents/agent-provisioner-lists.ts';
import { findAgent } from '../../data/agents/agents.ts';
import { readCountedUntil } from '../../data/agents/request-counts.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { ServiceContext } from '../context.ts';
import { activityOf, type ActiveAgent } from './agents.ts';

export interface AgentDetail extends ActiveAgent, AgentCreator {
  readonly provisionerCount: number;
  readonly matchingProvisionerCount: number;
  readonly matchingInstanceCount: number;
  /** Of all time. */
  readonly requestCount: number;
  readonly instances: LongList<ListedInstance>;
  readonly provisioners: readonly AgentProvisioner[];
}

export interface AgentQuery {
  readonly slug: string;
  readonly instances: Omit<AgentPage<InstanceFilter>, 'slug'>;
  readonly provisioners: Omit<AgentPage<ProvisionerFilter>, 'slug'>;
}

/** Throws 404. */
export async function getAgent(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  { slug, instances, provisioners }: AgentQuery,
): Promise<AgentDetail> {
  const agent = await findAgent(db, organizationId, slug);
  if (!agent) throw new AppError('not_found');
  const since = await readCountedUntil(db);
  // Two at a time: one call takes only a few of the connections.
  const [activity, history] = await Promise.all([
    readActivity(db, organizationId, { slugs: [slug], since }),
    readHistory(db, organizationId, { slug, since }),
  ]);
  const [instancePage, matchingInstanceCount] = await Promise.all([
    listInstances(db, organizationId, { ...instances, slug, since }),
    countMatchingInstances(db, organizationId, { ...instances, slug }),
  ]);
  const [provisionerPage, provisionerCounts] = await Promise.all([
    listProvisioners(db, organizationId, { ...provisioners, slug }),
    countProvisioners(db, organizationId, { ...provisioners, slug }),
  ]);
  return {
    ...agent,
    ...activityOf(activity, slug),
    ...history,
    provisionerCount: provisionerCounts.count,
    matchingProvisionerCount: provisionerCounts.matching,
    matchingInstanceCount,
    instances: instancePage,
    provisioners: provisionerPage,
  };
}

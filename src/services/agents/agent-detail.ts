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
import { findToolAccessRevision } from '../../data/agents/tool-access.ts';
import { readCountedUntil } from '../../data/agents/request-counts.ts';
import type { Db } from '../../platform/postgres.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { ServiceContext } from '../context.ts';
import { activityOf, type ListedAgent } from './agents.ts';

export interface AgentDetail extends ListedAgent, AgentCreator {
  readonly provisionerCount: number;
  readonly matchingProvisionerCount: number;
  readonly matchingInstanceCount: number;
  /** Of all time. */
  readonly requestCount: number;
  /** Null in the open edition, which has no tool access. */
  readonly toolAccessRevision: number | null;
  readonly instances: LongList<ListedInstance>;
  readonly provisioners: readonly AgentProvisioner[];
}

export interface AgentQuery {
  readonly slug: string;
  readonly instances: Omit<AgentPage<InstanceFilter>, 'slug'>;
  readonly provisioners: Omit<AgentPage<ProvisionerFilter>, 'slug'>;
}

/**
 * At most two statements at a time, because one call must leave connections to others. Throws 404.
 */
export async function getAgent(
  { db, edition }: ServiceContext,
  { organizationId }: ProductPrincipal,
  { slug, instances, provisioners }: AgentQuery,
): Promise<AgentDetail> {
  const [agent, since] = await Promise.all([
    findAgent(db, organizationId, slug),
    readCountedUntil(db),
  ]);
  if (!agent) throw new AppError('not_found');
  const [byAgent, history] = await Promise.all([
    readActivity(db, organizationId, { slugs: [slug], since }),
    readHistory(db, organizationId, { slug, since }),
  ]);
  const activity = activityOf(byAgent, slug);
  const [instancePage, provisionerPage] = await Promise.all([
    readInstances(db, organizationId, { ...instances, slug, since, all: activity.instanceCount }),
    readProvisioners(db, organizationId, { ...provisioners, slug }),
  ]);
  const toolAccessRevision =
    edition === 'hosted'
      ? await findToolAccessRevision(db, { organizationId, agentSlug: slug })
      : null;
  return {
    ...{ ...agent, ...activity, ...history, ...instancePage, ...provisionerPage },
    toolAccessRevision: toolAccessRevision ?? null,
  };
}

async function readInstances(
  db: Db,
  organizationId: string,
  page: AgentPage<InstanceFilter> & { readonly since: string; readonly all: number },
): Promise<Pick<AgentDetail, 'instances' | 'matchingInstanceCount'>> {
  const { q, status } = page.filter;
  return {
    instances: await listInstances(db, organizationId, page),
    matchingInstanceCount:
      q || status ? await countMatchingInstances(db, organizationId, page) : page.all,
  };
}

async function readProvisioners(
  db: Db,
  organizationId: string,
  page: AgentPage<ProvisionerFilter>,
): Promise<Pick<AgentDetail, 'provisioners' | 'provisionerCount' | 'matchingProvisionerCount'>> {
  const provisioners = await listProvisioners(db, organizationId, page);
  const { count, matching } = await countProvisioners(db, organizationId, page);
  return { provisioners, provisionerCount: count, matchingProvisionerCount: matching };
}

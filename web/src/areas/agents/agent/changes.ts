/** What changes an agent and its parts. Each change is read again at once, everywhere on the page. */
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/api.ts';

/** Lists, the agent, and what waits for it. */
export const readAgentsAgain = async (queries: QueryClient): Promise<void> => {
  await queries.invalidateQueries({ queryKey: ['agents'] });
};

function useChange<Variables>(change: (variables: Variables) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation<unknown, Error, Variables>({
    mutationFn: change,
    onSuccess: async () => {
      await readAgentsAgain(queries);
    },
  });
}

interface InstanceChange {
  readonly name?: string;
  readonly status?: 'active' | 'disabled';
}

interface AgentChange extends InstanceChange {
  readonly resume?: 'instance' | 'agent';
  /** A duration. */
  readonly approval_window?: string;
}

export const useChangeAgent = (slug: string) =>
  useChange(async (body: AgentChange) => {
    await call('patch', '/api/v1/agents/{slug}', { params: { path: { slug } }, body });
  });

export const useArchiveAgent = (slug: string) =>
  useChange(async () => {
    await call('delete', '/api/v1/agents/{slug}', { params: { path: { slug } } });
  });

export const useRestoreAgent = (slug: string) =>
  useChange(async () => {
    await call('post', '/api/v1/agents/{slug}/restore', { params: { path: { slug } } });
  });

export const useChangeInstance = (id: string) =>
  useChange(async (body: InstanceChange) => {
    await call('patch', '/api/v1/agent_instances/{id}', { params: { path: { id } }, body });
  });

export const useRevokeCredential = () =>
  useChange(async (id: string) => {
    await call('delete', '/api/v1/agent-credentials/{id}', { params: { path: { id } } });
  });

export const useRevokeProvisioner = () =>
  useChange(async (id: string) => {
    await call('delete', '/api/v1/agent-provisioners/{id}', { params: { path: { id } } });
  });

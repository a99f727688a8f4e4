/** The keys of pipelines: one for the organization, one for each agent. */
import type { PipelineScope } from './types.ts';

/** The owner of a pipeline. */
export type PipelineKey = 'organization' | `agent:${string}`;

/** The owner that a pipeline's key names. */
export function pipelineOwner(documentKey: string): {
  readonly scope: PipelineScope;
  readonly agentSlug?: string;
} {
  if (!documentKey.startsWith('agent:')) return { scope: 'organization' };
  return { scope: 'agent', agentSlug: documentKey.slice('agent:'.length) };
}

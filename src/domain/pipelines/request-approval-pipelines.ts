/** How a pipeline is keyed: one for the organization, one for each agent. */

/** Whose pipeline it is. */
export type PipelineKey = 'organization' | `agent:${string}`;

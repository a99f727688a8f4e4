/** The keys of pipelines: one for the organization, one for each agent. */

/** The owner of a pipeline. */
export type PipelineKey = 'organization' | `agent:${string}`;

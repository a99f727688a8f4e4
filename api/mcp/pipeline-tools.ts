/** Tools about approval pipelines. They can draft a revision, and a person activates it in the browser. */
import { z } from 'zod';
import { defineTool, jsonText, memberText, objectText, type Tool } from './tool.ts';

const owner = {
  agent_slug: z
    .string()
    .optional()
    .describe("The agent whose pipeline it is. Without it, the organization's, which runs first."),
};

const document = jsonText(
  'The pipeline, an object with `blocks`, and optionally `default_escalation_path`, as get_pipeline returns them. For a draft also `comment`: why.',
);

interface Owned {
  readonly agent_slug?: string | undefined;
}

/** The operation on the pipeline of the agent, else of the organization. */
const at = (verb: string, { agent_slug }: Owned, noun = '') =>
  agent_slug === undefined
    ? { operationId: `${verb}OrganizationPipeline${noun}`, params: {} }
    : { operationId: `${verb}AgentPipeline${noun}`, params: { agent_slug } };

const both = (verb: string, noun = ''): string[] => [
  `${verb}OrganizationPipeline${noun}`,
  `${verb}AgentPipeline${noun}`,
];

export const pipelineTools: readonly Tool[] = [
  defineTool({
    name: 'get_pipeline',
    title: 'Read a pipeline',
    description:
      'Reads the active revision of an approval pipeline, or another revision: the rules that approve, deny or ask a person.',
    input: z.strictObject({
      ...owner,
      revision: z.int().min(1).optional().describe('Default: the active one.'),
    }),
    writes: 'none',
    operations: [...both('getActive', 'Revision'), ...both('get', 'Revision')],
    call: ({ revision, ...owned }) => {
      if (revision === undefined) return at('getActive', owned, 'Revision');
      const { operationId, params } = at('get', owned, 'Revision');
      return { operationId, params: { ...params, revision: String(revision) } };
    },
  }),
  defineTool({
    name: 'preview_pipeline',
    title: 'Try out a pipeline',
    description:
      'Evaluates a sample call with the given pipeline, saved or not. Nothing is saved. Blocks that ask other systems really ask them, once each.',
    input: z.strictObject({
      ...owner,
      document,
      sample: jsonText(
        'The call: `{"request": {"tool": …, "server": …, "arguments": {…}}, "agent": {"slug": …, "name": …}}`.',
      ),
    }),
    writes: 'none',
    asksOthers: true,
    operations: both('preview'),
    call: ({ document: text, sample, ...owned }) => ({
      ...at('preview', owned),
      body: objectText({}, text, memberText('sample', sample)),
    }),
  }),
  defineTool({
    name: 'simulate_pipeline',
    title: 'Simulate a pipeline on past requests',
    description:
      'Says what the given pipeline would have concluded about past requests: how many stay the same, and which would be approved, denied or sent to people instead. ' +
      'Nothing is saved, and no other system is asked.',
    input: z.strictObject({
      ...owner,
      document,
      from_at: z
        .string()
        .optional()
        .describe('Requests created at this instant or later, RFC 3339.'),
      to_at: z.string().optional().describe('Requests created before this instant, RFC 3339.'),
      limit: z.int().min(1).max(2_000).optional().describe('How many requests at most.'),
      cursor: z.string().optional().describe('The `next_cursor` of the page before.'),
    }),
    writes: 'none',
    operations: both('simulate'),
    call: ({ document: text, agent_slug, ...page }) => ({
      ...at('simulate', { agent_slug }),
      body: objectText(page, text),
    }),
  }),
  defineTool({
    name: 'draft_pipeline_revision',
    title: 'Draft a revision of a pipeline',
    description:
      'Saves the next revision of a pipeline, inactive. It changes no request. Only a person can activate it, in the browser.',
    input: z.strictObject({ ...owner, document }),
    writes: 'draft',
    operations: both('create', 'Revision'),
    call: ({ document: body, ...owned }) => ({ ...at('create', owned, 'Revision'), body }),
  }),
];

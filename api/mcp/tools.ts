/** The tools that call one endpoint each. None decides, activates, grants or issues. */
import { z } from 'zod';
import { AUDIT_ACTOR_TYPES, AUDIT_OUTCOMES } from '../../src/domain/audit/filters.ts';
import { REQUEST_STATUSES } from '../../src/domain/requests/approval-requests.ts';
import { pipelineTools } from './pipeline-tools.ts';
import { pathTools } from './path-tools.ts';
import { defineTool, type Tool } from './tool.ts';

const requestId = z.string().describe('Id of the request.');
const page = {
  limit: z.int().min(1).max(100).default(20).describe('How many entries at most.'),
  cursor: z.string().optional().describe('The `next_cursor` of the page before; same filters.'),
};

export const tools: readonly Tool[] = [
  defineTool({
    name: 'list_requests',
    title: 'List requests',
    description:
      'Lists approval requests that people were asked about, as summaries: state, tool, agent, deadline, who looks after it. ' +
      'Arguments are left out; get_request has them.',
    input: z.strictObject({
      status: z
        .enum([...REQUEST_STATUSES, 'decided'])
        .optional()
        .describe('Only requests with this status. `decided`: all with a decision.'),
      scope: z
        .enum(['notified', 'decidable', 'visible'])
        .optional()
        .describe('`visible` has all that you may read.'),
      sort: z
        .enum(['created', 'deadline', 'urgency'])
        .optional()
        .describe('`created`: newest first. The others list pending requests only.'),
      agent_slug: z.string().optional().describe('Only requests of this agent.'),
      tool: z.string().optional().describe('Only calls of the tool with exactly this name.'),
      claimed: z.enum(['me', 'others', 'nobody']).optional().describe('By the live claim.'),
      q: z
        .string()
        .max(200)
        .optional()
        .describe('Words, each in the id, tool, agent or arguments.'),
      ...page,
    }),
    writes: 'none',
    operations: ['listRequests'],
    call: (query) => ({ operationId: 'listRequests', query: { ...query, view: 'summary' } }),
  }),
  defineTool({
    name: 'get_request',
    title: 'Read a request',
    description:
      'Reads one approval request with the arguments of the call that waits, digit for digit, and with its decision.',
    input: z.strictObject({ id: requestId }),
    writes: 'none',
    operations: ['getRequest'],
    call: (params) => ({ operationId: 'getRequest', params }),
  }),
  defineTool({
    name: 'get_timeline',
    title: 'Read the timeline of a request',
    description: 'Lists everything that happened to a request, oldest first.',
    input: z.strictObject({ id: requestId }),
    writes: 'none',
    operations: ['getRequestTimeline'],
    call: (params) => ({ operationId: 'getRequestTimeline', params }),
  }),
  defineTool({
    name: 'claim_request',
    title: 'Claim a request',
    description:
      'Says that you look after a request, so that no one else is asked for a while. It decides nothing: everyone who may decide still can.',
    input: z.strictObject({ id: requestId }),
    writes: 'claim',
    operations: ['claimRequest'],
    call: (params) => ({ operationId: 'claimRequest', params }),
  }),
  defineTool({
    name: 'release_request',
    title: 'Release a claim',
    description: 'Ends your claim of a request. Others are then asked again.',
    input: z.strictObject({ id: requestId }),
    writes: 'claim',
    operations: ['releaseRequest'],
    call: (params) => ({ operationId: 'releaseRequest', params }),
  }),
  defineTool({
    name: 'list_agents',
    title: 'List agents',
    description:
      'Lists the agents whose calls need approval: active, then disabled, then archived.',
    input: z.strictObject({
      status: z.enum(['live', 'archived', 'all']).optional().describe('Default: `live`.'),
      q: z.string().min(1).max(200).optional().describe('Text in the slug or the name.'),
      ...page,
    }),
    writes: 'none',
    operations: ['listAgents'],
    call: (query) => ({ operationId: 'listAgents', query }),
  }),
  ...pipelineTools,
  ...pathTools,
  defineTool({
    name: 'search_audit',
    title: 'Search the audit log',
    description: 'Finds events of the audit log, the newest first. All filters must hold.',
    input: z.strictObject({
      q: z.string().optional().describe('Text in the type, the actor, the subject or the data.'),
      event_type: z
        .array(z.string())
        .min(1)
        .max(20)
        .optional()
        .describe('Types, such as `team.renamed`.'),
      actor_type: z.enum(AUDIT_ACTOR_TYPES).optional().describe('What kind of actor did it.'),
      actor_id: z
        .string()
        .optional()
        .describe('Id of a membership, user or key, or an agent slug.'),
      subject_type: z.string().optional().describe('Such as `team`.'),
      subject_id: z.string().optional().describe('Only with `subject_type`.'),
      outcome: z.enum(AUDIT_OUTCOMES).optional().describe('The outcome of a request.'),
      from_at: z.string().optional().describe('Events at this instant or later, RFC 3339.'),
      to_at: z.string().optional().describe('Events before this instant, RFC 3339.'),
      ...page,
    }),
    writes: 'none',
    edition: 'hosted',
    operations: ['listAuditEvents'],
    call: (query) => ({ operationId: 'listAuditEvents', query }),
  }),
];

/** Tools about escalation paths. They can draft a revision, and a person activates it in the browser. */
import { z } from 'zod';
import { defineTool, jsonText, memberText, objectText, type Tool } from './tool.ts';

const document = jsonText(
  'The path, an object with `name`, `nodes`, and optionally `working_hours` and `repeat`. For a draft also `comment`: why.',
);

export const pathTools: readonly Tool[] = [
  defineTool({
    name: 'preview_escalation_path',
    title: 'Preview an escalation path',
    description:
      'Says who would be asked by a path, and when, if no one decided. Give either `path_key` or `document`. Nothing is saved, and no one is notified.',
    input: z.strictObject({
      path_key: z.string().optional().describe('Key of a saved path.'),
      revision: z.int().min(1).optional().describe('A revision of it. Default: the active one.'),
      document: document.optional(),
      starts_at: z.string().optional().describe('When the request comes, RFC 3339. Default: now.'),
      urgency: z.enum(['standard', 'interrupt']).optional().describe('Default: `standard`.'),
      timeout: z.string().optional().describe('The timeout of the request, such as `1h`.'),
      sample: jsonText(
        'The call, for conditions about it: `{"request": {"tool": …, "arguments": {…}}, "agent": {"slug": …, "name": …}}`.',
      ).optional(),
    }),
    writes: 'none',
    operations: ['previewEscalationPath'],
    call: ({ document: text, sample, ...rest }) => ({
      operationId: 'previewEscalationPath',
      body: objectText(rest, memberText('document', text), sample),
    }),
  }),
  defineTool({
    name: 'draft_escalation_path_revision',
    title: 'Draft a revision of an escalation path',
    description:
      'Saves the next revision of an escalation path, inactive, or the first revision of a new path. It changes no request. Only a person can activate it, in the browser.',
    input: z.strictObject({
      path_key: z.string().describe('Key of the path.'),
      document,
      is_new: z.boolean().optional().describe('True creates the path. Its key must be unused.'),
    }),
    writes: 'draft',
    operations: ['createEscalationPathRevision', 'createEscalationPath'],
    call: ({ path_key, document: body, is_new: isNew }) =>
      isNew
        ? {
            operationId: 'createEscalationPath',
            body: objectText({ path_key }, body),
          }
        : { operationId: 'createEscalationPathRevision', params: { path_key }, body },
  }),
];

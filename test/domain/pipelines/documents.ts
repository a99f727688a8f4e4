/**
 * Blocks and documents as a client sends them, and what parsing answers. Makers of blocks for
 * evaluations: blocks.ts.
 */
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import type { PipelineDocument } from '../../../src/domain/pipelines/types.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';

export const always = {
  id: 'gate',
  name: 'Gate',
  type: 'always',
  config: { outcome: 'human', reason: 'Because.' },
};
export const cel = {
  id: 'small',
  name: 'Small payments',
  type: 'cel',
  config: {
    when: { id: 'c1', field: '/request/arguments/amount', operator: 'less_than', value: 10 },
    on_match: 'approve',
    reason: 'Small.',
  },
};

export const branch = (id: string, blocks: readonly object[], over: object = {}) => ({
  id,
  name: id,
  type: 'branch',
  config: {
    when: { id: `when-${id}`, field: '/request/tool', operator: 'exists' },
    blocks,
    reason: `${id} ended.`,
    ...over,
  },
});

/** The pointer and the code of each issue. */
export function issuesOf(body: unknown): string[] {
  const parsed = parsePipelineDocument(parseExact(stringifyExact(body)));
  return parsed.ok ? [] : parsed.issues.map((issue) => `${issue.pointer} ${issue.code}`);
}

/** The document, which must be accepted: a value, or its JSON text. */
export function parsed(body: unknown): PipelineDocument {
  const result = parsePipelineDocument(
    parseExact(typeof body === 'string' ? body : stringifyExact(body)),
  );
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.document;
}

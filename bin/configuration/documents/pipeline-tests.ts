/** The `tests` of a pipeline file: samples, and what the rules must say of them. */
import { z } from 'zod';
import { object, list } from '../../../src/domain/grammar.ts';
import { readBy } from '../../../src/domain/issues.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';
import type { DocumentIssue } from './people.ts';

const anObject = z.custom<ExactObject>((value) => isExactObject(value), {
  error: 'must be an object',
});

const test = object({
  name: z.string().min(1),
  /** The agent that asks: in the organization's pipeline only. */
  agent: z.string().optional(),
  request: object({
    tool: z.string(),
    server: z.string().optional(),
    arguments: anObject,
    agent_reasoning: z.string().optional(),
    context: anObject.optional(),
  }),
  previous_metadata: anObject.optional(),
  outcome: z.enum(['approve', 'deny', 'human']),
  /** The block that must decide. */
  block: z.string().optional(),
  escalation_path: z.string().optional(),
});

export type PipelineTest = z.output<typeof test>;

export type ReadTests =
  | { readonly ok: true; readonly tests: readonly PipelineTest[] }
  | { readonly ok: false; readonly issues: readonly DocumentIssue[] };

/** Pointers of issues begin with `/tests`. */
export function readTests(value: ExactValue | undefined): ReadTests {
  if (value === undefined) return { ok: true, tests: [] };
  const read = readBy(list(test).max(500), value, '/tests');
  return read.ok ? { ok: true, tests: read.value } : read;
}

export interface Concluded {
  readonly outcome: string;
  readonly terminal_block_id?: string | undefined;
  readonly escalation_path?: string | undefined;
}

/** What is not as the test wants it, for people; undefined where all is. */
export function failureOf(wanted: PipelineTest, got: Concluded): string | undefined {
  const compared = [
    ['outcome', wanted.outcome, got.outcome],
    ['block', wanted.block, got.terminal_block_id],
    ['escalation_path', wanted.escalation_path, got.escalation_path],
  ] as const;
  const wrong = compared.filter(([, want, is]) => want !== undefined && want !== is);
  if (wrong.length === 0) return undefined;
  return wrong
    .map(([what, want, is]) => `${what} is ${is ?? 'absent'}, not ${want ?? ''}`)
    .join('; ');
}

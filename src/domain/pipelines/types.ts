/** The types of approval pipelines, derived from their grammar. */
import type { ReadAs } from '../grammar.ts';
import type {
  block,
  BLOCK_OUTCOMES,
  pipelineDocumentSchema,
  storedBlockSchema,
} from './document.ts';

export type BlockOutcome = (typeof BLOCK_OUTCOMES)[number];

/** A block as sent, with defaults for absent members. */
export type Block = ReadAs<typeof block>;
/** A block as stored in a revision. */
export type StoredBlock = ReadAs<typeof storedBlockSchema>;
export type PipelineDocument = ReadAs<typeof pipelineDocumentSchema>;

/** Whose pipeline it is. */
export type PipelineScope = 'organization' | 'agent';

/** What named the escalation path of a request. */
export type EscalationPathSource = 'block_escalation' | 'pipeline_default' | 'no_escalation';

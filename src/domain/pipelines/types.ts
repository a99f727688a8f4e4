/** The types of approval pipelines, as their grammar has them. */
import type { ReadAs } from '../grammar.ts';
import type {
  block,
  BLOCK_OUTCOMES,
  pipelineDocumentSchema,
  storedBlockSchema,
} from './document.ts';

export type BlockOutcome = (typeof BLOCK_OUTCOMES)[number];

/** A block as it is sent, with what may be absent filled in. */
export type Block = ReadAs<typeof block>;
/** A block as a revision keeps it. */
export type StoredBlock = ReadAs<typeof storedBlockSchema>;
export type PipelineDocument = ReadAs<typeof pipelineDocumentSchema>;

/** Simulates rules in a worker thread, which receives texts. */
import { replayRequest, type StoredResult } from '../../domain/pipelines/replay.ts';
import {
  storedResult,
  type RemoteAnswer,
  type RemoteErrorCode,
} from '../../domain/pipelines/remote.ts';
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import type { Verdict } from '../../domain/pipelines/verdict.ts';
import { JsonText, parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { ExactObject } from '../../platform/json/exact-values.ts';
import {
  compiledOf,
  factsOf,
  type PipelineText,
  type RequestTexts,
} from '../evaluation/evaluate-texts.ts';

export interface SimulationTexts {
  /** Whose pipeline is simulated. */
  readonly scope: PipelineScope;
  readonly pipeline: PipelineText;
  /** The revisions of the other scope that the requests name. */
  readonly others: readonly PipelineText[];
  readonly requests: readonly RequestToSimulate[];
  /** No further request is begun after this time. */
  readonly workMs: number;
}

export interface RequestToSimulate {
  readonly request: RequestTexts;
  /** The revision of the other scope's pipeline that the request is pinned to. */
  readonly otherId: string | null;
  /** A JSON list, as the data layer reads it. */
  readonly results: string | null;
}

/** Null where an answer of another system is missing. */
export type Simulated = Pick<Verdict, 'outcome' | 'block_id'> | null;

export interface SimulatedBatch {
  /** Of the first requests: at least one. */
  readonly outcomes: readonly Simulated[];
  readonly workMs: number;
}

export function simulateRequests(texts: SimulationTexts): SimulatedBatch {
  const startedAt = performance.now();
  const others = new Map(texts.others.map((each) => [each.id, each]));
  const outcomes: Simulated[] = [];
  for (const each of texts.requests) {
    outcomes.push(simulate(each, texts, others.get(each.otherId ?? '')));
    if (performance.now() - startedAt > texts.workMs) break;
  }
  return { outcomes, workMs: performance.now() - startedAt };
}

function simulate(
  { request, results }: RequestToSimulate,
  { scope, pipeline }: SimulationTexts,
  other: PipelineText | undefined,
): Simulated {
  const simulated = compiledOf(pipeline);
  const pinned = compiledOf(other);
  const [organization, agent] =
    scope === 'organization' ? [simulated, pinned] : [pinned, simulated];
  const verdict = replayRequest({
    organization,
    agent,
    facts: factsOf(request),
    results: results === null ? [] : storedResults(results),
  });
  if (!verdict) return null;
  const { outcome, block_id } = verdict;
  return { outcome, ...(block_id !== undefined && { block_id }) };
}

interface ResultRow {
  readonly scope: PipelineScope;
  readonly block_id: string;
  readonly content_hash: string;
  readonly outcome: RemoteAnswer['outcome'] | null;
  readonly error_code: RemoteErrorCode | null;
  readonly metadata: ExactObject | null;
}

function storedResults(text: string): StoredResult[] {
  return (parseExact(text) as unknown as ResultRow[]).map((row) => ({
    scope: row.scope,
    blockId: row.block_id,
    contentHash: row.content_hash,
    result: storedResult({
      outcome: row.outcome,
      errorCode: row.error_code,
      ...(row.metadata && { metadata: new JsonText(stringifyExact(row.metadata)) }),
    }),
  }));
}

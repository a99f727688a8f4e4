/** Simulates rules in a worker thread, which receives texts. */
import type { Amount } from '../../domain/pipelines/simulated-changes.ts';
import { replayRequest, type StoredResult } from '../../domain/pipelines/replay.ts';
import {
  storedResult,
  type BlockRef,
  type RemoteSuccess,
  type RemoteErrorCode,
} from '../../domain/pipelines/remote.ts';
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import type { Verdict } from '../../domain/pipelines/verdict.ts';
import { EXCERPT_START_CHARACTERS, excerptOf } from '../../domain/requests/excerpt.ts';
import { amountOf } from '../../domain/shown/main-values.ts';
import { shownCall, type HowToShow } from '../../domain/shown/shown-call.ts';
import { JsonText, parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { ExactObject } from '../../platform/json/exact-values.ts';
import { shownLine } from '../../domain/shown-text.ts';
import { readBeginning } from '../../platform/json/source-values.ts';
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
  readonly hows: readonly HowToShow[];
  /** No further request is begun after this time. */
  readonly workMs: number;
}

export interface RequestToSimulate {
  readonly request: RequestTexts;
  readonly was: Verdict['outcome'];
  /** Which of `hows` says how its call is shown. */
  readonly how: number;
  /** The revision of the other scope's pipeline that the request is pinned to. */
  readonly otherId: string | null;
  /** A JSON list, as the data layer reads it. */
  readonly results: string | null;
}

/** A call as a list shows it. */
export interface ShownChange {
  readonly title?: string;
  readonly excerpt: string;
  readonly amount?: Amount;
}

/** `shown`: of a request that would have had another outcome. A `BlockRef` where the result of that block is missing. */
export type Simulated =
  (Pick<Verdict, 'outcome' | 'block_id'> & { readonly shown?: ShownChange }) | BlockRef;

/** Of the first requests: at least one. */
export function simulateRequests(texts: SimulationTexts): readonly Simulated[] {
  const startedAt = performance.now();
  const others = new Map(texts.others.map((each) => [each.id, each]));
  const outcomes: Simulated[] = [];
  for (const each of texts.requests) {
    outcomes.push(simulate(each, texts, others.get(each.otherId ?? '')));
    if (performance.now() - startedAt > texts.workMs) break;
  }
  return outcomes;
}

function simulate(
  { request, results, was, how }: RequestToSimulate,
  { scope, pipeline, hows }: SimulationTexts,
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
  if ('blockId' in verdict) return verdict;
  const { outcome, block_id } = verdict;
  const shownBy = hows[how];
  return {
    outcome,
    ...(block_id !== undefined && { block_id }),
    ...(outcome !== was && shownBy && { shown: shownChange(request.arguments, shownBy) }),
  };
}

function shownChange(text: string, how: HowToShow): ShownChange {
  const start = text.slice(0, EXCERPT_START_CHARACTERS);
  const { title, text: excerpt } = excerptOf({ start, end: null, characters: text.length }, how);
  const whole = readBeginning(start);
  const amount = whole && amountOf(shownCall({ whole }, how), whole);
  return {
    ...(title !== undefined && { title }),
    excerpt,
    ...(amount && {
      amount: {
        value: amount.value.source,
        ...(amount.currency && { currency: shownLine(amount.currency.characters, MOST_CURRENCY) }),
      },
    }),
  };
}

const MOST_CURRENCY = 20;

interface ResultRow {
  readonly scope: PipelineScope;
  readonly block_id: string;
  readonly content_hash: string;
  readonly outcome: RemoteSuccess['outcome'] | null;
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

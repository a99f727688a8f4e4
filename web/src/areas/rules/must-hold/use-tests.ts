/** Runs the tests that must hold, a moment after the last change. */
import { keepPreviousData, useQuery, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ApiError } from '../../../shared/api/api.ts';
import { refusedPlaces } from '../../../shared/editor/problems.ts';
import type { EditedDocument } from '../../../shared/editor/use-document.ts';
import { sampleQuery, tryRequest, type Sample, type Trial } from '../outcomes/trial.ts';
import { scopeName, type Scope } from '../rules-data.ts';
import {
  keepTests,
  nameOfTest,
  readTests,
  type Expected,
  type KeptTest,
  type Owned,
} from './kept-tests.ts';
import { withoutSystems, type WithoutSystems } from './without-systems.ts';

/** By the test's key. */
export type Results = ReadonlyMap<string, Expected | 'gone' | 'refused' | 'system'>;

export interface MustHold {
  readonly tests: readonly KeptTest[];
  /** False where the browser has no room. */
  readonly keep: (tests: readonly KeptTest[]) => boolean;
  /** Of the text as it is now, or of the one before it. */
  readonly results: Results | undefined;
  /** They have not run with the text as it is now. */
  readonly isUntold: boolean;
  /** Why they could not run. */
  readonly error: Error | null;
  readonly failing: readonly string[];
}

const PAUSE_MS = 800;

export function useTests(
  {
    scope,
    document,
    isWanted,
  }: { readonly scope: Scope; readonly document: EditedDocument; readonly isWanted: boolean },
  of: Owned,
): MustHold {
  const [tests, setTests] = useState(() => readTests(of));
  const { state, read } = document;
  const settled = useSettled(state.text);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['rules', 'must-hold', scopeName(scope), settled, tests],
    queryFn: async ({ client, signal }) => {
      const rules = withoutSystems(settled, document.read.value ?? null);
      const results = new Map<string, Expected | 'gone' | 'refused' | 'system'>();
      for (const test of tests)
        results.set(test.key, await resultOf(test, { scope, rules, client, signal }));
      return results;
    },
    enabled: isWanted && tests.length > 0 && read.problem === undefined && settled === state.text,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    // Documents are long, and each change makes another one.
    gcTime: 60_000,
  });
  const failing = useMemo(
    () => tests.filter((test) => doesFail(test, data?.get(test.key))).map(nameOfTest),
    [tests, data],
  );
  const areOld = data === undefined || isPlaceholderData || settled !== state.text;
  return {
    ...{ tests, failing, results: data, error },
    isUntold: tests.length > 0 && isWanted && areOld,
    keep: (next) => {
      setTests(next);
      return keepTests(of, next);
    },
  };
}

export const doesFail = (
  { expected }: KeptTest,
  result: Expected | 'gone' | 'refused' | 'system' | undefined,
): boolean =>
  result !== undefined &&
  result !== 'gone' &&
  result !== 'refused' &&
  result !== 'system' &&
  result !== expected;

interface Run {
  readonly scope: Scope;
  readonly rules: WithoutSystems;
  readonly client: QueryClient;
  readonly signal: AbortSignal;
}

async function resultOf(test: KeptTest, { scope, rules, client, signal }: Run) {
  const sample = await sampleOf(test, client);
  if (!sample) return 'gone';
  try {
    return outcomeOf(await tryRequest(scope, { text: rules.text, sample }, signal), rules);
  } catch (error) {
    const places = refusedPlaces(error);
    if (places.length > 0 && places.every(({ pointer }) => pointer.startsWith('/sample')))
      return 'refused';
    throw error;
  }
}

async function sampleOf(test: KeptTest, client: QueryClient): Promise<Sample | undefined> {
  const { tool, request, written } = test;
  if (written) {
    const { agent, server } = written;
    const shown = { arguments: written.arguments };
    return { tool, server, agent, agentName: agent, arguments: written.arguments, shown };
  }
  try {
    return await client.fetchQuery(sampleQuery(request ?? ''));
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

const outcomeOf = ({ outcome, terminal_block_id: id }: Trial, { asking }: WithoutSystems) =>
  id !== undefined && asking.has(id) ? 'system' : outcome;

function useSettled(now: string): string {
  const [settled, setSettled] = useState(now);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(now);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [now]);
  return settled;
}

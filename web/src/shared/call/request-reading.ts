/** What this reader has opened and was shown of one request. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Reading } from '../exact/reading.ts';
import { call } from '../api/api.ts';
import type { Call } from './presented-call.ts';
import { recordable } from './recordable-pointer.ts';

interface RequestReading extends Reading {
  /** Where the values begin that were opened. */
  readonly opened: ReadonlySet<number>;
}

export function useRequestReading(id: string): RequestReading {
  const queries = useQueryClient();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [revealed, setRevealed] = useState<readonly string[]>([]);
  return useMemo(
    () => ({
      opened,
      open: (offset) => {
        setOpened((before) => new Set([...before, offset]));
      },
      isRevealed: (pointer) =>
        revealed.some((each) => pointer === each || pointer.startsWith(`${each}/`)),
      reveal: async (pointers) => {
        await call('post', '/api/v1/requests/{id}/reveal', {
          ...{ params: { path: { id } }, body: { pointers: pointers.map(recordable) } },
        });
        setRevealed((before) => [...before, ...pointers]);
        void queries.invalidateQueries({ queryKey: ['requests', 'timeline', id] });
      },
    }),
    [id, opened, queries, revealed],
  );
}

/** How many hidden values of the arguments, and texts with hidden parts, were not shown to this reader. */
export const useUnrevealed = (
  { hiddenValues, hiddenParts }: Call,
  { isRevealed }: RequestReading,
): number =>
  useMemo(
    () =>
      [...hiddenValues, ...hiddenParts.keys()].filter(
        ({ pointer }) => !isRevealed(`/arguments${pointer}`),
      ).length,
    [hiddenValues, hiddenParts, isRevealed],
  );

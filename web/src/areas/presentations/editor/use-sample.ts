/** The call on which a presentation is tried: a real one, or arguments that someone writes. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { DEFAULT_HIDDEN_NAMES } from '../../../../../src/domain/shown/hidden-names.ts';
import { shownCall } from '../../../../../src/domain/shown/shown-call.ts';
import { readSource } from '../../../../../src/platform/json/source-values.ts';
import { useSettled } from '../../../shared/browser/settled.ts';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { recentCallsQuery, sampleQuery } from '../presentations-data.ts';
import { proposalsOf } from './proposals.ts';

/** Instead of the id of a request. */
export const OWN = '';

export function useSample(tool: string, server: string) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, 'request.read');
  const [settledTool, settledServer] = [useSettled(tool), useSettled(server)];
  const calls = useQuery({
    ...recentCallsQuery(settledTool, settledServer),
    enabled: mayRead && settledTool !== '',
  });
  const [wanted, choose] = useState<string>();
  const [written, write] = useState('');
  const known = calls.data ?? [];
  const chosen =
    wanted === OWN || known.some(({ id }) => id === wanted) ? wanted : (known[0]?.id ?? OWN);
  const id = chosen ?? OWN;
  const read = useQuery({ ...sampleQuery(id), enabled: id !== OWN });
  const text = id === OWN ? written : read.data?.text;
  const whole = useMemo(() => {
    const value = text === undefined ? undefined : readSource(text);
    return value?.kind === 'object' ? value : undefined;
  }, [text]);
  const hiddenNames = read.data?.hiddenNames ?? DEFAULT_HIDDEN_NAMES;
  const proposals = useMemo(
    () => proposalsOf(whole, shownCall({ whole }, { presentation: undefined, hiddenNames }).hidden),
    [whole, hiddenNames],
  );
  return {
    ...{ mayRead, id, choose, written, write, whole, hiddenNames, proposals },
    calls: known,
    isReading: calls.isFetching || read.isFetching,
    error: id === OWN ? null : read.error,
  };
}

export type SampleCall = ReturnType<typeof useSample>;

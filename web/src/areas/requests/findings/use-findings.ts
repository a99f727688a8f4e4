/** What is hidden, cut and deceptive in a call. Of a large one it is found in a worker thread, and undefined until then. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  findingsIn,
  type CallFindings,
} from '../../../../../src/domain/shown/page/call-findings.ts';
import type { RequestDetail } from '../requests-data.ts';
import { findBeside } from './find-beside.ts';
import type { Wanted } from './wanted.ts';

/** To start a thread takes longer than to find it in fewer characters. */
const LARGE = 20_000;

export function useFindings(request: RequestDetail): CallFindings | undefined {
  const wanted = useMemo(() => wantedOf(request), [request]);
  const { whole, context = '' } = wanted.given;
  const isLarge = whole.length + context.length > LARGE;
  const here = useMemo(
    () => (isLarge ? undefined : findingsIn(wanted.given, wanted.how)),
    [isLarge, wanted],
  );
  const beside = useQuery({
    // The texts of a request never change.
    queryKey: ['findings', request.id, wanted.given.names, wanted.how],
    queryFn: async () => await findBeside(wanted),
    enabled: isLarge,
    staleTime: Infinity,
    networkMode: 'always',
    structuralSharing: false,
  });
  return here ?? beside.data;
}

const wantedOf = (request: RequestDetail): Wanted => ({
  given: {
    names: {
      tool: request.tool,
      server: request.server,
      agentName: request.agent_name,
      agentInstanceName: request.agent_instance_name,
    },
    whole: request.arguments.text,
    context: request.context?.text,
  },
  how: { presentation: request.presentation, hiddenNames: request.hidden_names },
});

/** One request, real or written, on its way through the rules. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { isExactObject } from '../../../../../src/platform/json/exact-values.ts';
import { Select } from '../../../shared/design/fields/select.tsx';
import { TextArea, TextBox } from '../../../shared/design/fields/text-box.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { EditedDocument } from '../../../shared/editor/use-document.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { clockText } from '../../../shared/text/times.ts';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';
import { parsed } from '../../../shared/conditions/value-texts.ts';
import type { Scope } from '../rules-data.ts';
import { TrialSteps } from './trial-steps.tsx';
import { outcomes as text } from './text.ts';
import {
  asksSystems,
  factsText,
  shownFactsText,
  recentQuery,
  sampleQuery,
  tryRequest,
  type Sample,
  type Trial,
} from './trial.ts';
import classes from './outcomes.module.css';

interface TryProps {
  readonly scope: Scope;
  readonly document: EditedDocument;
  readonly onTrial: (trial: Trial | undefined) => void;
}

const PAUSE_MS = 300;

export function Try({ scope, document, onTrial }: TryProps) {
  const { data: account } = useQuery(accountQuery);
  const mayWrite =
    account !== undefined && hasPermissionFor(account, 'pipeline.write', scope.agent);
  const [sample, setSample] = useState<Sample>();
  const { state, read } = document;
  const isRemote = read.value !== undefined && asksSystems(read.value);
  const trying = useMutation({
    mutationFn: async (given: { readonly text: string; readonly sample: Sample }) =>
      await tryRequest(scope, given),
    onSuccess: onTrial,
  });
  const { mutate, data } = trying;
  const isReady = mayWrite && sample !== undefined && read.problem === undefined;
  useEffect(() => {
    // Other systems are asked only on a press.
    if (!isReady || isRemote) return undefined;
    const timer = setTimeout(() => {
      mutate({ text: state.text, sample });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [isReady, isRemote, mutate, state.text, sample]);
  if (!mayWrite) return <p className={classes['hint']}>{text.missingWrite}</p>;
  return (
    <div className={classes['try']}>
      <SampleChoice scope={scope} onSample={setSample} />
      {read.problem && <p className={classes['hint']}>{text.fix}</p>}
      {isRemote && (
        <>
          <p className={classes['hint']}>{text.asksSystems}</p>
          <Button
            isSecondary
            aria-disabled={!isReady}
            onClick={() => {
              if (isReady) mutate({ text: state.text, sample });
            }}
          >
            {text.run}
          </Button>
        </>
      )}
      {trying.error && (
        <p role="alert" className={classes['problem']}>
          {trying.error.message}
        </p>
      )}
      {data && sample && read.value !== undefined && (
        <TrialSteps
          trial={data}
          facts={factsText(sample)}
          shown={shownFactsText(sample)}
          document={read.value}
        />
      )}
    </div>
  );
}

const OWN = '';

export function SampleChoice({
  scope,
  onSample,
}: {
  readonly scope: Scope;
  readonly onSample: (sample: Sample | undefined) => void;
}) {
  const recent = useQuery({ ...recentQuery(scope), retry: false });
  const [chosen, setChosen] = useState<string>();
  const id = chosen ?? recent.data?.[0]?.id ?? OWN;
  const { data: read } = useQuery({ ...sampleQuery(id), enabled: id !== OWN });
  useEffect(() => {
    if (id !== OWN) onSample(read);
  }, [id, read, onSample]);
  const options = [
    ...(recent.data ?? []).map((each) => ({
      value: each.id,
      label: `${each.tool} · ${each.slug} · ${clockText(each.at, serverNow() / 1_000)}`,
    })),
    { value: OWN, label: text.own },
  ];
  return (
    <>
      <Select label={text.sample} options={options} value={id} onChange={setChosen} />
      {id === OWN && <OwnSample scope={scope} onSample={onSample} />}
      {id !== OWN && read && (
        <pre className={classes['arguments']}>
          <ForeignText text={read.shown.arguments} isSource />
        </pre>
      )}
    </>
  );
}

function OwnSample({
  scope,
  onSample,
}: {
  readonly scope: Scope;
  readonly onSample: (sample: Sample | undefined) => void;
}) {
  const [tool, setTool] = useState('refund_payment');
  const [server, setServer] = useState('');
  const [given, setGiven] = useState('{"amount": 50}');
  const [agent, setAgent] = useState(scope.agent ?? 'some-agent');
  const isObject = isExactObject(parsed(given));
  const isComplete = isObject && tool !== '' && agent !== '';
  useEffect(() => {
    const own = { tool, server, arguments: given.trim(), agent, agentName: agent };
    onSample(isComplete ? { ...own, shown: { arguments: own.arguments } } : undefined);
  }, [isComplete, tool, server, given, agent, onSample]);
  return (
    <>
      <TextBox label={text.tool} isMono value={tool} onChange={setTool} />
      <TextBox label={text.server} isMono value={server} onChange={setServer} />
      {scope.agent === undefined && (
        <TextBox label={text.agentSlug} isMono value={agent} onChange={setAgent} />
      )}
      <TextArea
        label={text.arguments}
        isMono
        rows={4}
        value={given}
        problem={isObject ? undefined : text.badArguments}
        onChange={setGiven}
      />
    </>
  );
}

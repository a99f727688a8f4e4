/** Posts a sample request to a revision of an endpoint, and shows the response. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { Select } from '../../../shared/design/fields/select.tsx';
import note from '../../../shared/design/note.module.css';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { TextBlock } from '../../../shared/exact/text-block.tsx';
import { More } from '../../../shared/page/more.tsx';
import {
  endpointRevisions,
  readEndpointsAgain,
  testEndpoint,
  type TestResult,
} from '../endpoints-data.ts';
import { failureText } from '../failure-text.ts';
import { deliveries, outcomes, test as text } from '../text.ts';
import classes from './deliveries.module.css';

interface TestPanelProps {
  readonly endpointKey: string;
  /** The one that is tested unless another one is chosen. */
  readonly newest: number;
  readonly isUnsaved: boolean;
}

export function TestPanel({ endpointKey, newest, isUnsaved }: TestPanelProps) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<number>();
  const list = useInfiniteQuery(endpointRevisions(endpointKey).history);
  const revision = chosen ?? newest;
  const known = list.data?.pages.flatMap((page) => page.revisions) ?? [];
  const others = known.some((each) => each.revision === revision)
    ? known
    : [{ revision, is_active: false }, ...known];
  const testing = useMutation({
    mutationFn: async () => ({
      revision,
      result: await testEndpoint(endpointKey, revision),
    }),
    onSettled: () => void readEndpointsAgain(queries),
  });
  return (
    <Panel title={text.title} hint={text.hint}>
      <Select
        label={text.revision}
        options={others.map((each) => ({
          value: String(each.revision),
          label: text.of(each.revision, each.is_active),
        }))}
        value={String(revision)}
        onChange={(value) => {
          setChosen(Number(value));
        }}
      />
      <More list={list} />
      {isUnsaved && <p className={note['note']}>{text.unsaved}</p>}
      <div>
        <Button
          isSecondary
          aria-busy={testing.isPending}
          onClick={() => {
            if (!testing.isPending) testing.mutate();
          }}
        >
          {testing.isPending ? text.sending : text.send}
        </Button>
      </div>
      <div role="status">
        {testing.data && <Tested revision={testing.data.revision} result={testing.data.result} />}
      </div>
      {testing.error && (
        <p role="alert" className={note['problem']}>
          {testing.error.message}
        </p>
      )}
    </Panel>
  );
}

interface TestedProps {
  readonly revision: number;
  readonly result: TestResult;
}

function Tested({ revision, result }: TestedProps) {
  const { outcome, reason, status_code: status, duration_ms: duration } = result;
  const { response_excerpt: excerpt } = result;
  const failure = failureText(result);
  return (
    <div className={classes['tested']}>
      <p className={failure === undefined ? note['note'] : note['problem']}>
        <strong>{failure === undefined ? text.isValid : text.isInvalid}</strong> {failure}
      </p>
      <Facts>
        <Fact label={text.revision}>{revision}</Fact>
        {outcome !== undefined && <Fact label={text.result}>{outcomes[outcome]}</Fact>}
        {reason !== undefined && (
          <Fact label={text.reason}>
            <ForeignText text={reason} />
          </Fact>
        )}
        <Fact label={text.status}>{status ?? text.noStatus}</Fact>
        <Fact label={text.duration}>{deliveries.ms(duration)}</Fact>
      </Facts>
      {excerpt !== undefined && (
        <>
          <h3>{text.response}</h3>
          <p className={classes['soft']}>{text.responseHint}</p>
          <TextBlock text={excerpt} mono />
        </>
      )}
    </div>
  );
}

/** The demo agent: the page acts as an agent, so that a browser is all it takes to see a decision arrive. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { SegmentedControl } from '../../../shared/design/fields/segmented-control.tsx';
import note from '../../../shared/design/note.module.css';
import { Panel } from '../../../shared/design/panel.tsx';
import { Result } from '../../../shared/design/result.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { Failed, Loading, MissingPermission } from '../../../shared/page/states.tsx';
import {
  accountQuery,
  DEMO_PERMISSIONS,
  hasPermissionFor,
} from '../../../shared/session/session.ts';
import { Calls } from './calls.tsx';
import { demoQuery } from './demo-data.ts';
import { Steps } from './steps.tsx';
import { demo as text } from './text.ts';
import { useDemo } from './use-demo.ts';
import classes from './demo.module.css';

export function Demo() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const missing = DEMO_PERMISSIONS.find((each) => !hasPermissionFor(account, each, undefined));
  if (missing !== undefined) return <MissingPermission permission={missing} />;
  return <DemoPage />;
}

/** The first one is small: rules for small refunds decide it. */
const AMOUNTS = ['12.50', '249.95', '1249.00'] as const;
type Amount = (typeof AMOUNTS)[number];

function DemoPage() {
  const found = useQuery(demoQuery);
  const demo = useDemo();
  const view = useRef<HTMLDivElement>(null);
  const { course, withdraw } = demo;
  const isBegun = course !== undefined;
  // The button that was pressed is gone.
  useEffect(() => {
    if (isBegun) view.current?.focus();
  }, [isBegun]);
  if (found.isPending) return <Loading />;
  if (found.isError) return <Failed error={found.error} reset={() => void found.refetch()} />;
  const { agent } = found.data;
  return (
    <Page
      title={text.title}
      hint={text.hint}
      actions={
        agent && (
          <Link to="/agents/$slug" params={{ slug: agent.slug }}>
            {text.toAgent}
          </Link>
        )
      }
    >
      <div className={classes['demo']}>
        <Run exists={agent?.status === 'active' && !isBegun} demo={demo} />
        <div ref={view} tabIndex={-1} className={classes['view']}>
          <Panel title={text.view}>
            {course ? <Steps course={course} /> : <p>{text.nothing}</p>}
          </Panel>
        </div>
        {course && course.calls.length > 0 && <Calls calls={course.calls} />}
      </div>
      {withdraw.isError && <Result text="" error={withdraw.error} />}
    </Page>
  );
}

interface RunProps {
  /** Another page made it, or this one before it was loaded again. */
  readonly exists: boolean;
  readonly demo: ReturnType<typeof useDemo>;
}

function Run({ exists, demo: { course, run, withdraw } }: RunProps) {
  const [amount, setAmount] = useState<Amount>('249.95');
  const { request } = course ?? {};
  const isOpen = course !== undefined && course.state !== 'decided' && course.state !== 'lost';
  return (
    <Panel title={text.what} hint={text.whatHint}>
      {exists && <p className={note['note']}>{text.exists}</p>}
      {isOpen ? (
        request && (
          <Button
            isSecondary
            className={classes['button'] ?? ''}
            aria-busy={withdraw.isPending}
            onClick={() => {
              if (!withdraw.isPending) withdraw.mutate(request.id);
            }}
          >
            {text.withdraw}
          </Button>
        )
      ) : (
        <div className={classes['choices']}>
          <SegmentedControl
            label={text.amount}
            options={AMOUNTS.map((each) => ({ value: each, label: `${each} ${text.currency}` }))}
            value={amount}
            onChange={setAmount}
          />
          <Button
            className={classes['button'] ?? ''}
            aria-busy={run.isPending}
            onClick={() => {
              if (!run.isPending) run.mutate(amount);
            }}
          >
            {run.isPending ? text.running : course ? text.runAgain : text.run}
          </Button>
        </div>
      )}
      {run.isError && <Result text="" error={run.error} />}
    </Panel>
  );
}

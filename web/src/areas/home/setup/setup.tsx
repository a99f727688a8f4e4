/** The first things to do in a new organization, in any order. Nothing waits for them. */
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from '../../../shared/design/button.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { accountQuery, mayRunDemo } from '../../../shared/session/session.ts';
import { completeSetup, useSteps } from './checklist-data.ts';
import { setup as text, type StepKey } from './text.ts';
import classes from './setup.module.css';

export function Setup() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const steps = useSteps(account);
  const done = steps.filter(({ isDone }) => isDone).length;
  const isFinished = done === steps.length;
  return (
    <Panel title={text.title} hint={isFinished ? text.allDone : text.intro}>
      <div className={classes['head']}>
        <p role="status">
          {steps.every(({ isDone }) => isDone !== undefined) && text.progress(done, steps.length)}
        </p>
        {account.onboarding.required ? (
          <Hide isFinished={isFinished} />
        ) : (
          <Link to="/home" search={{}}>
            {text.hide}
          </Link>
        )}
      </div>
      {!isFinished && mayRunDemo(account) && (
        <p>
          {text.newHere} <Link to="/demo">{text.tryDemo}</Link>
        </p>
      )}
      {!isFinished && (
        <ul className={classes['steps']}>
          {steps.map(({ key, isDone }) => (
            <Step key={key} step={key} isDone={isDone} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

const PAGES = {
  agent: '/agents',
  request: '/',
  people: '/people/invitations',
  rule: '/rules',
  path: '/paths',
  factor: '/account/security',
  channel: '/settings/channels',
} as const satisfies Record<StepKey, string>;

interface StepProps {
  readonly step: StepKey;
  /** Undefined while it is not known. */
  readonly isDone: boolean | undefined;
}

function Step({ step, isDone = false }: StepProps) {
  const { title, why } = text.steps[step];
  return (
    <li className={classes['step']} data-done={isDone}>
      <span className={classes['sign']} aria-hidden="true">
        {isDone && '✓'}
      </span>
      <div className={classes['what']}>
        <h3>
          {title} {isDone && <span className={classes['done']}>{text.isDone}</span>}
        </h3>
        <p>{why}</p>
      </div>
      <Link to={PAGES[step]} className={classes['go']}>
        {text.go[step]}
      </Link>
    </li>
  );
}

/** For everyone who may set up the organization. The home still leads to the steps. */
function Hide({ isFinished }: { readonly isFinished: boolean }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const complete = useMutation({
    mutationFn: completeSetup,
    onSuccess: async () => {
      await queries.refetchQueries({ queryKey: accountQuery.queryKey });
      await navigate({ to: '/home', search: {} });
    },
  });
  return (
    <>
      <span role="alert">{complete.error?.message}</span>
      <Button
        isSecondary={!isFinished}
        aria-busy={complete.isPending}
        onClick={() => {
          if (!complete.isPending) complete.mutate();
        }}
      >
        {isFinished ? text.finish : text.hide}
      </Button>
    </>
  );
}

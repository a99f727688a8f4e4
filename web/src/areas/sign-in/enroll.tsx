/** A person lets a machine in, by the code that its terminal shows. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import note from '../../shared/design/note.module.css';
import { ApiError } from '../../shared/api/api.ts';
import { Form, Submit, TextField } from '../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { MissingPermission } from '../../shared/page/states.tsx';
import { useTitle } from '../../shared/page/title.ts';
import { enroll as text } from './enroll-text.ts';
import { EnrollmentFacts } from './enrollment-facts.tsx';
import { EnrollmentTarget } from './enrollment-target.tsx';
import { authorize, enrollmentQuery, type Enrollment } from './enroll-data.ts';
import classes from './guide.module.css';

const NEEDED = 'agent.credential.issue';

export function Enroll() {
  useTitle(text.title);
  const { code = '' } = useSearch({ from: '/signed-in/enroll' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const found = useQuery(enrollmentQuery(code));
  if (!hasPermission(account, NEEDED)) return <MissingPermission permission={NEEDED} />;
  return (
    <div className={classes['guide']}>
      <div className={classes['heading']}>
        <h1>{text.title}</h1>
        {!found.data && <p className={classes['soft']}>{text.intro}</p>}
      </div>
      {found.data ? (
        <Found key={code} code={code} enrollment={found.data} />
      ) : (
        <CodeForm
          code={code}
          error={found.error}
          isBusy={found.isFetching}
          onRepeat={() => void found.refetch()}
        />
      )}
    </div>
  );
}

const unknownCode = ({ status }: ApiError) => (status === 404 ? { code: text.unknown } : undefined);

function CodeForm({
  code,
  error,
  isBusy,
  onRepeat,
}: {
  readonly code: string;
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly onRepeat: () => void;
}) {
  const navigate = useNavigate();
  return (
    <div className={classes['card']}>
      <Form
        isBusy={isBusy}
        error={error}
        fieldOf={unknownCode}
        onSubmit={(fields) => {
          const typed = (fields['code'] ?? '').trim().toUpperCase();
          if (typed === code) onRepeat();
          else void navigate({ to: '/enroll', search: { code: typed }, replace: true });
        }}
      >
        <TextField
          label={text.code}
          description={text.codeHint}
          name="code"
          autoComplete="off"
          defaultValue={code}
          autoFocus
        />
        <Submit label={text.find} busy={text.finding} />
      </Form>
    </div>
  );
}

function Found({ code, enrollment }: { readonly code: string; readonly enrollment: Enrollment }) {
  const navigate = useNavigate();
  const allow = useSensitiveMutation({ mutationFn: authorize });
  const isEnded = allow.error instanceof ApiError && allow.error.status === 404;
  const startAgain = (
    <LinkButton onClick={() => void navigate({ to: '/enroll', search: {}, replace: true })}>
      {text.other}
    </LinkButton>
  );
  if (allow.isSuccess)
    return (
      <section className={classes['card']} role="status">
        <h2>{text.doneTitle}</h2>
        <p>
          <bdi>{allow.data.agent.name}</bdi> · <bdi>{allow.data.agent_instance.name}</bdi>
        </p>
        <p>{text.done}</p>
        {startAgain}
      </section>
    );
  if (isEnded || enrollment.status === 'authorized')
    return (
      <section className={classes['card']} role="status">
        <p>{isEnded ? text.ended : text.already}</p>
        {startAgain}
      </section>
    );
  return (
    <section className={classes['card']} aria-labelledby="check">
      <h2 id="check">{text.check}</h2>
      <p className={note['warning']}>{text.warning}</p>
      <EnrollmentFacts code={code} enrollment={enrollment} />
      <EnrollmentTarget
        requested={enrollment.requested_agent_slug}
        isBusy={allow.isPending}
        error={allow.error}
        onSubmit={(fields) => {
          allow.mutate({ code, fields });
        }}
      />
      {startAgain}
    </section>
  );
}

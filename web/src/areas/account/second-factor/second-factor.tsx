/** The second factor: an authenticator app and recovery codes. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Failed, Loading } from '../../../shared/page/states.tsx';
import { security as text } from '../security-text.ts';
import { mfaQuery, type Account } from '../../../shared/session/session.ts';
import { Panel } from '../../../shared/design/panel.tsx';
import { Enrolled, NotEnrolled } from './state.tsx';
import { Enrollment, type Enrolling } from './enrollment.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Result } from '../../../shared/design/result.tsx';

type Stage =
  | { readonly name: 'state'; readonly result: string }
  | { readonly name: 'enrolling'; readonly enrolling: Enrolling }
  | { readonly name: 'codes'; readonly codes: readonly string[]; readonly result: string };

export function SecondFactor({ account }: { readonly account: Account }) {
  const queries = useQueryClient();
  const mfa = useQuery(mfaQuery);
  const [stage, setStage] = useState<Stage>({ name: 'state', result: '' });
  if (mfa.isPending) return <Loading />;
  if (mfa.isError) return <Failed error={mfa.error} reset={() => void mfa.refetch()} />;
  const show = (result: string) => {
    setStage({ name: 'state', result });
    // The session has another cookie, and other sessions ended.
    void queries.invalidateQueries();
  };
  const showCodes = (codes: readonly string[], result: string) => {
    setStage({ name: 'codes', codes, result });
    void queries.invalidateQueries();
  };
  return (
    <Panel
      title={text.factorTitle}
      hint={account.user.has_password ? text.factorHint : text.factorHintProvider}
    >
      {stage.name === 'state' && <Outcome text={stage.result} />}
      {stage.name === 'state' &&
        (mfa.data.totp.enrolled ? (
          <Enrolled mfa={mfa.data} onCodes={showCodes} onRemoved={show} />
        ) : (
          <NotEnrolled
            mfa={mfa.data}
            onBegun={(enrolling) => {
              setStage({ name: 'enrolling', enrolling });
            }}
          />
        ))}
      {stage.name === 'enrolling' && (
        <Enrollment
          enrolling={stage.enrolling}
          onCodes={(codes) => {
            showCodes(codes, text.enrolled);
          }}
          onCancel={() => {
            show('');
          }}
        />
      )}
      {stage.name === 'codes' && (
        <RecoveryCodes
          codes={stage.codes}
          email={account.user.email}
          onSaved={() => {
            show(stage.result);
          }}
        />
      )}
    </Panel>
  );
}

/** What the person did is gone from the page: the focus goes to what came of it. */
function Outcome({ text: said }: { readonly text: string }) {
  const outcome = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (said !== '') outcome.current?.focus();
  }, [said]);
  return <Result ref={outcome} text={said} />;
}

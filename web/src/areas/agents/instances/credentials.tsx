/** The credentials of an instance that work, and changing over from one to the next. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Button } from '../../../shared/design/button.tsx';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import { readAgentsAgain, useRevokeCredential } from '../agent/changes.ts';
import { EndOf } from '../agent/end-of.tsx';
import { useMay } from '../agent/may.ts';
import { TwoPresses } from '../agent/two-presses.tsx';
import { agentQuery, issueFurther, type Credential, type Instance } from '../agents-data.ts';
import { isSilent, workingCredentials } from '../states.ts';
import { instances as text } from '../text.ts';
import { credentialFile } from '../credential-file.ts';
import classes from './instances.module.css';

export function Credentials({ instance }: { readonly instance: Instance }) {
  const { id, agent_slug: agentSlug, name, credentials } = instance;
  const queries = useQueryClient();
  const { data: agent } = useSuspenseQuery(agentQuery(agentSlug));
  const mayIssue = useMay('agent.credential.issue') && !agent.demo;
  const now = useNowSeconds() * 1_000;
  const { issuing, secret, forget } = useIssuedSecret(issueFurther);
  const working = workingCredentials(instance, now);
  const ended = credentials.length - working.length;
  return (
    <>
      <ul className={classes['credentials']} aria-label={text.credentialsOf(name)}>
        {working.map((credential, index) => (
          <CredentialRow
            key={credential.id}
            credential={credential}
            isOld={working.length > 1 && index > 0 && isSilent(credential, now)}
          />
        ))}
        {working.length === 0 && <li className={classes['facts']}>{text.noCredential}</li>}
      </ul>
      {working.length > 1 && <p className={classes['facts']}>{text.changeOver}</p>}
      <div className={classes['facts']}>
        {ended > 0 && <span>{text.ended(ended)} </span>}
        {mayIssue && secret === undefined && (
          <Button
            isSmall
            isSecondary
            aria-label={working.length === 0 ? text.issueOf(name) : text.rotateOf(name)}
            aria-busy={issuing.isPending}
            onClick={() => {
              if (issuing.isPending) return;
              issuing.mutate(id, { onSuccess: () => void readAgentsAgain(queries) });
            }}
          >
            {working.length === 0 ? text.issue : text.rotate}
          </Button>
        )}
      </div>
      {issuing.isError && <p role="alert">{issuing.error.message}</p>}
      {secret !== undefined && (
        <ShownOnce
          title={text.newCredentialOf(name)}
          secret={secret}
          file={credentialFile(secret)}
          ifLost={text.ifLost}
          onStored={forget}
        />
      )}
    </>
  );
}

interface CredentialRowProps {
  readonly credential: Credential;
  /** A newer one works, and this one has been silent for a while. */
  readonly isOld: boolean;
}

function CredentialRow({ credential, isOld }: CredentialRowProps) {
  const { id, last_used_at: used, expires_at: end } = credential;
  const mayRevoke = useMay('agent.credential.revoke');
  const revoke = useRevokeCredential();
  return (
    <li className={classes['credential']}>
      <code>{text.shortId(id)}</code>
      <span>
        {used === undefined ? text.neverUsed : text.used}{' '}
        {used !== undefined && <Instant at={used} as="ago" />}
      </span>
      <EndOf at={end} label={text.ends} />
      {isOld && <span className={classes['silent']}>{text.silent}</span>}
      {mayRevoke && (
        <TwoPresses
          label={text.revoke}
          again={text.revokeAgain}
          isBusy={revoke.isPending}
          onConfirm={() => {
            revoke.mutate(id);
          }}
        />
      )}
      {revoke.isError && <span role="alert">{revoke.error.message}</span>}
    </li>
  );
}

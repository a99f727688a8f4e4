/** The three ways in which an instance gets its credential. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiError } from '../../../shared/api/api.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { QrCode } from '../../../shared/design/marks/qr-code.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { Code } from '../../../shared/page/code.tsx';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import { connect as text, taken as takenText } from '../text.ts';
import { issueCredential, issueProvisioner } from './connect-data.ts';
import { ReplicaSnippet, Snippets } from './snippet.tsx';
import { CodingAgent } from './coding-agent.tsx';
import { enrollCommand, hookCommands } from './snippets.ts';
import { Waiting } from './waiting.tsx';
import { credentialFile } from '../credential-file.ts';
import { nextName } from '../states.ts';
import classes from './connect.module.css';

interface WayProps {
  readonly slug: string;
}

/** When this way was opened: what came before is no news. */
const useSince = (): string => useState(() => new Date(serverNow()).toISOString())[0];

export function ThisMachine({ slug }: WayProps) {
  const since = useSince();
  const command = enrollCommand(location.origin, slug);
  return (
    <>
      <section className={classes['step']} aria-labelledby="enroll">
        <h3 id="enroll">{text.machineTitle}</h3>
        <p className={classes['soft']}>{text.machineHint}</p>
        <Code label={text.machineTitle} value={command} />
        <div className={classes['enter']}>
          <QrCode data={`${location.origin}/enroll`} label={text.qrLabel} />
          <p>
            <Link to="/enroll" target="_blank">
              {text.enter}
            </Link>
            <span className={classes['soft']}>{text.qrHint}</span>
          </p>
        </div>
      </section>
      <CodingAgent slug={slug}>
        <Code label={text.hookTitle} value={hookCommands()} />
      </CodingAgent>
      <Waiting slug={slug} since={since} />
    </>
  );
}

export function Server({ slug }: WayProps) {
  const since = useSince();
  const { issuing, secret, forget } = useIssuedSecret(issueCredential);
  const [name, setName] = useState('');
  const taken = ({ code }: ApiError) =>
    code === 'instance_name_taken' ? { name: takenText(nextName(name.trim())) } : undefined;
  if (!issuing.data)
    return (
      <section className={classes['step']} aria-labelledby="server">
        <h3 id="server">{text.serverTitle}</h3>
        <p className={classes['soft']}>{text.serverHint}</p>
        <Form
          isBusy={issuing.isPending}
          error={issuing.error}
          fieldOf={taken}
          onSubmit={() => {
            issuing.mutate({ slug, name: name.trim() });
          }}
        >
          <TextField
            label={text.instance}
            description={text.instanceHint}
            name="name"
            autoComplete="off"
            value={name}
            onChange={setName}
          />
          <Submit label={text.issue} busy={text.issuing} />
        </Form>
      </section>
    );
  const { instance } = issuing.data;
  return (
    <>
      {secret === undefined ? (
        <>
          <p role="status">{text.storedNow}</p>
          <Snippets slug={slug} secret={text.placeholder} shown={text.placeholder} />
        </>
      ) : (
        <ShownOnce
          title={text.credentialOf(instance)}
          secret={secret}
          file={credentialFile(secret)}
          ifLost={text.credentialLost}
          onStored={forget}
        >
          {(shown) => <Snippets slug={slug} {...shown} />}
        </ShownOnce>
      )}
      <Waiting slug={slug} instance={instance} since={since} />
    </>
  );
}

const DAY_MS = 24 * 60 * 60_000;

export function Fleet({ slug }: WayProps) {
  const since = useSince();
  const { issuing, secret, forget } = useIssuedSecret(issueProvisioner);
  if (!issuing.data)
    return (
      <section className={classes['step']} aria-labelledby="fleet">
        <h3 id="fleet">{text.fleetTitle}</h3>
        <p className={classes['soft']}>{text.fleetHint}</p>
        <Form
          isBusy={issuing.isPending}
          error={issuing.error}
          onSubmit={({ days = '' }) => {
            const end = serverNow() + Number(days) * DAY_MS;
            issuing.mutate({ slug, expiresAt: new Date(end).toISOString() });
          }}
        >
          <fieldset className={classes['runtimes']}>
            <legend>{text.life}</legend>
            {[7, 30, 90, 365].map((days) => (
              <label key={days} className={classes['runtime']}>
                <input type="radio" name="days" value={days} defaultChecked={days === 90} />
                {text.days(days)}
              </label>
            ))}
          </fieldset>
          <Submit label={text.issueToken} busy={text.issuing} />
        </Form>
      </section>
    );
  return (
    <>
      {secret === undefined ? (
        <p role="status">{text.storedNow}</p>
      ) : (
        <ShownOnce
          title={text.tokenOf}
          secret={secret}
          file={{
            name: 'countersign-fleet.env',
            variables: { COUNTERSIGN_URL: location.origin, COUNTERSIGN_PROVISIONER: secret },
          }}
          ifLost={text.tokenLost}
          onStored={forget}
        >
          {(shown) => <ReplicaSnippet {...shown} />}
        </ShownOnce>
      )}
      <Waiting slug={slug} since={since} />
    </>
  );
}

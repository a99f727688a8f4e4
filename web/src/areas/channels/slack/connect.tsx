/** The steps in the order in which a person does them in Slack, with a field where each brings something. */
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ButtonLink } from '../../../shared/design/button.tsx';
import type { ApiError } from '../../../shared/api/api.ts';
import { CopyButton } from '../../../shared/design/buttons/copy-button.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import note from '../../../shared/design/note.module.css';
import { CopyLink } from '../../../shared/exact/copy-link.tsx';
import { Form, PasswordField, Submit, TextField } from '../../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { canBeCalled, manifestOf, newAppUrl } from './manifest.ts';
import { connectSlack, readSlackAgain, type SlackApp } from './slack-data.ts';
import { connect as text } from './text.ts';
import classes from './slack.module.css';

interface ConnectProps {
  readonly app: SlackApp;
  readonly onConnected: () => void;
}

/** A token says which workspace it is for. */
export const fieldOfTaken = ({ code }: ApiError) =>
  code === 'slack_workspace_taken' ? { bot_token: text.taken } : undefined;

export const channelIn = (typed = ''): string | null => (typed.trim() === '' ? null : typed.trim());

export function Connect({ app, onConnected }: ConnectProps) {
  const queries = useQueryClient();
  const connecting = useSensitiveMutation({
    mutationFn: connectSlack,
    onSuccess: async () => {
      onConnected();
      await readSlackAgain(queries);
    },
  });
  return (
    <Panel title={text.title}>
      {!canBeCalled(app) && (
        <p className={note['warning']}>
          {text.notPublic} <bdi>{new URL(app.command_url).origin}</bdi>. {text.notPublicTodo}
        </p>
      )}
      <Form
        label={text.title}
        isBusy={connecting.isPending}
        error={connecting.error}
        fieldOf={fieldOfTaken}
        onSubmit={({ bot_token = '', signing_secret = '', default_channel }) => {
          connecting.mutate({
            bot_token: bot_token.trim(),
            signing_secret: signing_secret.trim(),
            default_channel: channelIn(default_channel),
          });
        }}
      >
        <ol className={classes['steps']}>
          <Step title={text.app} hint={text.appHint}>
            <NewApp app={app} />
          </Step>
          <Step title={text.install} hint={text.installHint}>
            <TokenField label={text.token} />
          </Step>
          <Step title={text.signing} hint={text.signingHint}>
            <SecretField label={text.secret} />
          </Step>
          <Step title={text.announce} hint={text.announceHint}>
            <ChannelField />
          </Step>
        </ol>
        <div className={classes['buttons']}>
          <Submit label={text.connect} busy={text.connecting} />
        </div>
      </Form>
    </Panel>
  );
}

interface StepProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ReactNode;
}

function Step({ title, hint, children }: StepProps) {
  return (
    <li>
      <h3>{title}</h3>
      <p className={classes['soft']}>{hint}</p>
      {children}
    </li>
  );
}

interface SecretFieldProps {
  readonly label: string;
  /** Empty: what is stored stays. */
  readonly isOptional?: boolean;
}

export function TokenField({ label, isOptional = false }: SecretFieldProps) {
  return (
    <PasswordField
      {...{ label, isOptional }}
      name="bot_token"
      autoComplete="off"
      description={text.tokenHint}
      showLabel={text.showToken}
    />
  );
}

export function SecretField({ label, isOptional = false }: SecretFieldProps) {
  return (
    <PasswordField
      {...{ label, isOptional }}
      name="signing_secret"
      autoComplete="off"
      description={text.secretHint}
      showLabel={text.showSecret}
    />
  );
}

export function ChannelField({ now = '' }: { readonly now?: string }) {
  return (
    <TextField
      label={text.channel}
      name="default_channel"
      autoComplete="off"
      isOptional
      description={text.channelHint}
      defaultValue={now}
    />
  );
}

function NewApp({ app }: { readonly app: SlackApp }) {
  const manifest = manifestOf(app);
  return (
    <>
      <div className={classes['buttons']}>
        <ButtonLink
          isSecondary
          // eslint-disable-next-line no-restricted-syntax -- An address of Slack, and what the service says is encoded in it.
          href={newAppUrl(manifest)}
          target="_blank"
          rel="noreferrer"
        >
          {text.openSlack}
        </ButtonLink>
        <CopyButton label={text.copyManifest} value={manifest} />
      </div>
      <details className={classes['hand']}>
        <summary>{text.byHand}</summary>
        <p className={classes['soft']}>{text.byHandHint}</p>
        <Entries
          entries={[
            {
              label: text.interactivity,
              value: app.interactivity_url,
              copy: text.copyInteractivity,
            },
            { label: text.command, value: app.command, copy: text.copyCommand },
            { label: text.commandUrl, value: app.command_url, copy: text.copyCommandUrl },
            { label: text.scopes, value: app.bot_scopes.join(', ') },
          ]}
        />
      </details>
    </>
  );
}

interface Entry {
  readonly label: string;
  readonly value: string;
  /** Scopes are chosen one by one. */
  readonly copy?: string;
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <dl className={classes['entries']}>
      {entries.map(({ label, value, copy }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <code>{value}</code>
            {copy !== undefined && <CopyLink label={copy} textOf={() => value} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

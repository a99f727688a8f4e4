/** Guided setup: from a new organization to its first request, and to the people who decide. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { CopyButton } from '../../shared/design/copy-button.tsx';
import note from '../../shared/design/note.module.css';
import type { ApiError } from '../../shared/api/api.ts';
import { Form, Submit, TextField } from '../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import { accountQuery } from '../../shared/session/session.ts';
import { useTitle } from '../../shared/page/title.ts';
import { setup as text } from '../../shared/text/setup.ts';
import { agentsQuery } from './enroll-data.ts';
import { AgentFields, takenName } from './enrollment-target.tsx';
import { InviteStep } from './setup-invite.tsx';
import {
  completeSetup,
  createAgent,
  createCredential,
  firstRequest,
  firstRequestQuery,
  pendingInvitationsQuery,
  useShownOnce,
} from './setup-data.ts';
import classes from './guide.module.css';

export function Setup() {
  useTitle(text.title);
  const { data: agents } = useSuspenseQuery(agentsQuery);
  const { shown } = useShownOnce();
  const { data: pending = [] } = useQuery(pendingInvitationsQuery);
  const agent = agents[0];
  const first = useQuery({ ...firstRequestQuery(agent?.slug ?? ''), enabled: agent !== undefined });
  const request = first.data ?? undefined;
  return (
    <div className={classes['guide']}>
      <div className={classes['heading']}>
        <h1>{text.title}</h1>
        <p className={classes['soft']}>{text.intro}</p>
        {!request && <Complete isReady={false} />}
      </div>
      <ol className={classes['steps']}>
        <AgentSteps agent={agent} isUsed={request !== undefined} />
        <RequestStep token={shown.token} request={request} />
        <Step
          number={4}
          title={text.inviteStep}
          isDone={shown.invited.length > 0 || pending.length > 0}
        >
          <InviteStep pending={pending} />
        </Step>
      </ol>
      {request && <Complete isReady />}
    </div>
  );
}

/** The agent and its credential. The focus goes on to what takes the place of each form. */
function AgentSteps({
  agent,
  isUsed,
}: {
  readonly agent: { readonly slug: string; readonly name: string } | undefined;
  /** Whether a request was sent with some credential. */
  readonly isUsed: boolean;
}) {
  const { shown, keepToken } = useShownOnce();
  const [isNew, setIsNew] = useState(false);
  const { token } = shown;
  return (
    <>
      <Step number={1} title={text.agentStep} isDone={agent !== undefined}>
        {agent ? (
          <p>
            {text.agentDone} <bdi>{agent.name}</bdi>
          </p>
        ) : (
          <AgentStep
            onCreated={() => {
              setIsNew(true);
            }}
          />
        )}
      </Step>
      <Step number={2} title={text.credentialStep} isDone={token !== undefined || isUsed}>
        {!agent && <p className={classes['soft']}>{text.later}</p>}
        {agent && token === undefined && (
          <CredentialStep
            agent={agent.slug}
            intro={isUsed ? text.credentialUsed : text.credentialIntro}
            autoFocus={isNew}
            onToken={(created) => {
              setIsNew(true);
              keepToken(created);
            }}
          />
        )}
        {token !== undefined && <Credential token={token} isNew={isNew} />}
      </Step>
    </>
  );
}

function RequestStep({
  token,
  request,
}: {
  readonly token: string | undefined;
  readonly request: { readonly id: string; readonly tool: string } | undefined;
}) {
  return (
    <Step number={3} title={text.requestStep} isDone={request !== undefined}>
      {token === undefined ? (
        !request && <p className={classes['soft']}>{text.later}</p>
      ) : (
        <Command token={token} />
      )}
      <div role="status">
        {token !== undefined && !request && <p>{text.waiting}</p>}
        {request && (
          <div className={classes['done']}>
            <p>
              {text.arrived}{' '}
              <Link to="/requests/$id" params={{ id: request.id }} target="_blank">
                <bdi>{request.tool}</bdi>
              </Link>{' '}
              {text.opensBeside}
            </p>
          </div>
        )}
      </div>
    </Step>
  );
}

function Step({
  number,
  title,
  isDone,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}) {
  return (
    <li className={classes['card']}>
      <h2 className={classes['step']}>
        <span className={classes['number']} data-done={isDone} aria-hidden="true">
          {isDone ? '✓' : number}
        </span>
        <span>{title}</span>
        {isDone && <span className={classes['state']}>{text.isDone}</span>}
      </h2>
      {children}
    </li>
  );
}

function AgentStep({ onCreated }: { readonly onCreated: () => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: createAgent,
    onSuccess: async () => {
      onCreated();
      await queries.invalidateQueries({ queryKey: agentsQuery.queryKey });
    },
  });
  return (
    <>
      <p className={classes['soft']}>{text.agentIntro}</p>
      <Form
        isBusy={create.isPending}
        error={create.error}
        fieldOf={takenName('')}
        onSubmit={({ slug = '', name = '' }) => {
          create.mutate({ slug: slug.trim(), name: name.trim() });
        }}
      >
        <AgentFields prefix="" />
        <Submit label={text.createAgent} busy={text.creatingAgent} />
      </Form>
    </>
  );
}

const takenInstance = ({ code, message }: ApiError) =>
  code === 'instance_name_taken' ? { name: message } : undefined;

function CredentialStep({
  agent,
  intro,
  autoFocus,
  onToken,
}: {
  readonly agent: string;
  readonly intro: string;
  readonly autoFocus: boolean;
  readonly onToken: (token: string) => void;
}) {
  const create = useSensitiveMutation({
    mutationFn: createCredential,
    onSuccess: ({ credential }) => {
      onToken(credential.token);
    },
  });
  return (
    <>
      <p className={classes['soft']}>{intro}</p>
      <Form
        isBusy={create.isPending}
        error={create.error}
        fieldOf={takenInstance}
        onSubmit={({ name = '' }) => {
          create.mutate({ slug: agent, name: name.trim() });
        }}
      >
        <TextField label={text.instance} name="name" autoComplete="off" autoFocus={autoFocus} />
        <Submit label={text.createCredential} busy={text.creatingCredential} />
      </Form>
    </>
  );
}

/** It takes the place of the form that had the focus. */
function Credential({ token, isNew }: { readonly token: string; readonly isNew: boolean }) {
  const warning = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isNew) warning.current?.focus();
  }, [isNew]);
  return (
    <>
      <p ref={warning} tabIndex={-1} className={note['warning']}>
        {text.shownOnce}
      </p>
      <pre className={classes['secret']} id="credential" aria-label={text.credential}>
        {token}
      </pre>
      <div className={classes['row']}>
        <CopyButton value={token} label={text.copyCredential} />
      </div>
    </>
  );
}

function Command({ token }: { readonly token: string }) {
  const command = firstRequest(token);
  return (
    <>
      <p className={classes['soft']}>{text.requestIntro}</p>
      <pre className={classes['secret']} id="command" aria-label={text.command}>
        {command}
      </pre>
      <div className={classes['row']}>
        <CopyButton value={command} label={text.copyCommand} />
      </div>
    </>
  );
}

function Complete({ isReady }: { readonly isReady: boolean }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { discard } = useShownOnce();
  const complete = useMutation({
    mutationFn: completeSetup,
    onSuccess: async () => {
      await queries.refetchQueries({ queryKey: accountQuery.queryKey });
      await navigate({ to: '/' });
      discard();
    },
  });
  const words = isReady ? [text.finish, text.finishing] : [text.skip, text.skipping];
  return (
    <div className={classes['row']}>
      <Button
        variant={isReady ? 'filled' : 'default'}
        aria-busy={complete.isPending}
        onClick={() => {
          if (!complete.isPending) complete.mutate();
        }}
      >
        {words[complete.isPending ? 1 : 0]}
      </Button>
      <span role="alert">{complete.error?.message}</span>
    </div>
  );
}

/** The ways to stop an agent, from the smallest to the largest. Each says what ends and how it comes back. */
import { Link } from '@tanstack/react-router';
import { useId, type ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { NameForm } from '../../../shared/design/dialogs/confirm-by-name.tsx';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { useArchiveAgent, useChangeAgent } from '../agent/changes.ts';
import { TwoPresses } from '../agent/two-presses.tsx';
import type { AgentDetail } from '../agents-data.ts';
import { stop as text } from '../text.ts';
import classes from './stop-dialog.module.css';

interface StopDialogProps {
  readonly agent: AgentDetail;
  readonly onClose: () => void;
}

export function StopDialog({ agent, onClose }: StopDialogProps) {
  const id = useId();
  const { slug, status, pending_request_count: waiting } = agent;
  const change = useChangeAgent(slug);
  const toInstances = (
    <Link to="/agents/$slug/instances" params={{ slug }} onClick={onClose}>
      {text.toInstances}
    </Link>
  );
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{text.title}</h2>
      <p>{text.waiting(waiting)}</p>
      <ol className={classes['steps']}>
        <Step step="revoke">{toInstances}</Step>
        <Step step="instance">{toInstances}</Step>
        {status === 'active' && (
          <Step step="agent">
            <TwoPresses
              label={text.pause}
              again={text.pauseAgain}
              isBusy={change.isPending}
              onConfirm={() => {
                change.mutate({ status: 'disabled' }, { onSuccess: onClose });
              }}
            />
            {change.isError && <p role="alert">{change.error.message}</p>}
          </Step>
        )}
        <Step step="archive">
          <Archive slug={slug} onDone={onClose} />
        </Step>
      </ol>
      <Button isSecondary onClick={onClose}>
        {text.close}
      </Button>
    </Modal>
  );
}

interface StepProps {
  readonly step: keyof typeof text.steps;
  readonly children: ReactNode;
}

function Step({ step, children }: StepProps) {
  const { title, ends, keeps, back } = text.steps[step];
  return (
    <li className={classes['step']}>
      <h3>{title}</h3>
      <p>
        {text.ends}: {ends} {keeps}
      </p>
      <p className={step === 'revoke' ? classes['none'] : undefined}>
        {text.back}: {back}
      </p>
      {children}
    </li>
  );
}

function Archive({ slug, onDone }: { readonly slug: string; readonly onDone: () => void }) {
  const archive = useArchiveAgent(slug);
  return (
    <div className={classes['archive']}>
      <NameForm
        name={slug}
        doing={archive}
        label={text.archive}
        busy={text.archiving}
        onConfirm={() => {
          archive.mutate(undefined, { onSuccess: onDone });
        }}
      />
    </div>
  );
}

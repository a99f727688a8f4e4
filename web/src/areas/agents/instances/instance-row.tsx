/** One instance: where it runs, its credentials, and what can be done to it. */
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { useChangeInstance } from '../agent/changes.ts';
import { useMay } from '../agent/may.ts';
import { StateMark, type StateTone } from '../../../shared/design/marks/badge.tsx';
import type { Instance } from '../agents-data.ts';
import { instanceState, type InstanceState } from '../states.ts';
import { instances as text } from '../text.ts';
import { Credentials } from './credentials.tsx';
import { hostOf } from './hosts.ts';
import { Rename } from '../agent/rename.tsx';
import classes from './instances.module.css';

const TONES: Readonly<Record<InstanceState, StateTone>> = {
  live: 'good',
  paused: 'warn',
  cut: 'danger',
};

export function InstanceRow({ instance }: { readonly instance: Instance }) {
  const { name, metadata, last_seen_at: seen, created_at: created } = instance;
  const canChange = useMay('agent.write');
  const state = instanceState(instance, useNowSeconds() * 1_000);
  const host = hostOf(metadata.text);
  return (
    <li className={classes['instance']} data-faded={state !== 'live'}>
      <div className={classes['head']}>
        <h3 className={classes['name']}>
          <ForeignText text={name} isName />
        </h3>
        <StateMark tone={TONES[state]}>{text.states[state]}</StateMark>
        {canChange && <Actions instance={instance} />}
      </div>
      <p className={classes['facts']}>
        {host !== undefined && (
          <>
            {text.host} <ForeignText text={host} isName /> ·{' '}
          </>
        )}
        {seen === created ? text.neverCalled : text.called}{' '}
        {seen !== created && <Instant at={seen} as="ago" />} · {text.made}{' '}
        <Instant at={created} as="clock" /> · {text.requests(instance.recent_request_count)}
      </p>
      <Credentials instance={instance} />
      {metadata.text !== '{}' && (
        <details className={classes['details']}>
          <summary>{text.metadata}</summary>
          <pre>
            <ForeignText text={metadata.text} />
          </pre>
        </details>
      )}
    </li>
  );
}

function Actions({ instance: { id, name, status } }: { readonly instance: Instance }) {
  const change = useChangeInstance(id);
  const [isRenaming, setRenaming] = useState(false);
  const isPaused = status === 'disabled';
  const close = () => {
    change.reset();
    setRenaming(false);
  };
  return (
    <div className={classes['actions']}>
      {change.isError && !isRenaming && <p role="alert">{change.error.message}</p>}
      <Button
        isSmall
        isSecondary
        aria-label={text.renameOf(name)}
        onClick={() => {
          setRenaming(true);
        }}
      >
        {text.rename}
      </Button>
      <Button
        isSmall
        isSecondary
        aria-label={isPaused ? text.resumeOf(name) : text.pauseOf(name)}
        aria-busy={change.isPending}
        onClick={() => {
          if (!change.isPending) change.mutate({ status: isPaused ? 'active' : 'disabled' });
        }}
      >
        {isPaused ? text.resume : text.pause}
      </Button>
      {isRenaming && (
        <Rename
          title={text.renameOf(name)}
          name={name}
          doing={change}
          onRename={(newName) => {
            change.mutate({ name: newName }, { onSuccess: close });
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

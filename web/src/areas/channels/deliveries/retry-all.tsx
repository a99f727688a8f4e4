/** Tries again all dead messages that are shown. Says how far it is, and what became of them. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import note from '../../../shared/design/note.module.css';
import { retryAll, type Retried } from './deliveries-data.ts';
import { deliveries as text } from './text.ts';
import classes from './deliveries.module.css';

interface RetryAllProps {
  readonly ids: readonly string[];
  readonly canWrite: boolean;
  readonly onDone: () => Promise<void>;
}

export function RetryAll({ ids, canWrite, onDone }: RetryAllProps) {
  const [progress, setProgress] = useState<Retried>();
  const retry = useMutation({
    mutationFn: async () => await retryAll(ids, setProgress),
    onSettled: onDone,
  });
  if (!canWrite) return null;
  return (
    <div className={classes['all']}>
      {ids.length > 0 && (
        <div className={classes['actions']}>
          <Button
            isSecondary
            aria-busy={retry.isPending}
            onClick={() => {
              if (!retry.isPending) retry.mutate();
            }}
          >
            {text.retryAll(ids.length)}
          </Button>
          <span className={classes['soft']}>{text.retryHint}</span>
        </div>
      )}
      <div role="status">
        {progress && <Progress progress={progress} isRunning={retry.isPending} />}
      </div>
    </div>
  );
}

interface ProgressProps {
  readonly progress: Retried;
  readonly isRunning: boolean;
}

function Progress({ progress, isRunning }: ProgressProps) {
  const { all, done, failures, stoppedBy } = progress;
  const failed = [...failures.values()].reduce((sum, number) => sum + number, 0);
  if (isRunning) return <p>{text.progress(done + failed, all)}</p>;
  const isWhole = failed === 0 && stoppedBy === undefined;
  return (
    <div className={isWhole ? note['note'] : note['warning']}>
      <p>{text.result(done)}</p>
      {[...failures].map(([why, number]) => (
        <p key={why}>
          {text.failed(number)} {why}
        </p>
      ))}
      {stoppedBy !== undefined && (
        <p>
          {text.stopped(all - done - failed)} {stoppedBy}
        </p>
      )}
    </div>
  );
}

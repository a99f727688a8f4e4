/** Asks once more, in place, before something ends that a person relies on. */
import type { UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { security as text } from '../security-text.ts';
import { Result } from '../../../shared/design/result.tsx';
import classes from './second-factor.module.css';

export function Confirmation({
  ask,
  label,
  action,
  onCancel,
}: {
  readonly ask: string;
  readonly label: string;
  readonly action: Pick<UseMutationResult<unknown>, 'error' | 'isPending'> & {
    readonly mutate: () => void;
  };
  readonly onCancel: () => void;
}) {
  const question = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    question.current?.focus();
  }, []);
  return (
    <div
      className={classes['confirmation']}
      role="group"
      aria-label={label}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onCancel();
      }}
    >
      <p ref={question} tabIndex={-1}>
        {ask}
      </p>
      <Result text="" error={action.error} />
      <div className={classes['actions']}>
        <Button
          aria-disabled={action.isPending}
          onClick={() => {
            if (!action.isPending) action.mutate();
          }}
        >
          {action.isPending ? text.working : label}
        </Button>
        <Button isSecondary onClick={onCancel}>
          {text.cancel}
        </Button>
      </div>
    </div>
  );
}

/** Several controls that are right or wrong together. */
import { useId, type ReactNode } from 'react';
import classes from './field.module.css';

interface FieldGroupProps {
  readonly label: ReactNode;
  /** What is wrong with them. `focusFirstProblem` leads to the first of them. */
  readonly problem?: string | undefined;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

export function FieldGroup({ label, problem, className, children }: FieldGroupProps) {
  const id = useId();
  const isWrong = problem !== undefined;
  return (
    <fieldset
      className={className}
      aria-describedby={isWrong ? id : undefined}
      data-problem={isWrong || undefined}
    >
      <legend>{label}</legend>
      {isWrong && (
        <p id={id} role="alert" className={classes['problem']}>
          {problem}
        </p>
      )}
      {children}
    </fieldset>
  );
}

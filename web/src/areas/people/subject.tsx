/** The page of one person or team: the name, what can be done, and parts below. */
import type { ReactNode } from 'react';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { PageTitle } from '../../shared/guide/page-title.tsx';
import { useTitle } from '../../shared/page/title.ts';
import classes from './subject.module.css';

interface SubjectProps {
  readonly name: string;
  /** The link to the list. */
  readonly back: ReactNode;
  readonly facts: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Subject({ name, back, facts, actions, children }: SubjectProps) {
  useTitle(name);
  return (
    <div className={classes['subject']}>
      <header className={classes['head']}>
        <div className={classes['heading']}>
          <p className={classes['back']}>{back}</p>
          <PageTitle>
            <ForeignText text={name} isName />
          </PageTitle>
          <div className={classes['facts']}>{facts}</div>
        </div>
        {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

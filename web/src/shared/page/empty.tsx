/** In the place of a list that has nothing yet: one sentence, and what to do. */
import type { ReactNode } from 'react';
import { LinkButton } from '../design/buttons/link-button.tsx';
import { lists } from '../text/design.ts';
import classes from './empty.module.css';

interface EmptyProps {
  readonly title: string;
  /** What to do about it: text, buttons and links. */
  readonly children?: ReactNode;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className={classes['empty']}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface NoMatchProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** Takes away the search and the filters. */
  readonly onClear: () => void;
}

/** In the place of rows where a search or a filter leaves none. */
export function NoMatch({ title, children, onClear }: NoMatchProps) {
  return (
    <Empty title={title}>
      {children}
      <LinkButton onClick={onClear}>{lists.clear}</LinkButton>
    </Empty>
  );
}

interface NoneOfProps {
  readonly search: { readonly q?: string; readonly show?: string };
  /** Of the area. `noneHint` says what to do. */
  readonly text: { readonly none: string; readonly noneHint: string; readonly noMatch: string };
  readonly onClear: () => void;
}

/** Either of the two for a list whose address has `q` and `show`. */
export function NoneOf({ search: { q, show }, text, onClear }: NoneOfProps) {
  if (q !== undefined || show !== undefined)
    return <NoMatch title={text.noMatch} onClear={onClear} />;
  return (
    <Empty title={text.none}>
      <p>{text.noneHint}</p>
    </Empty>
  );
}

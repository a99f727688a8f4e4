/** A part of a page that fails alone: something in the browser changed it, or it has a fault. The rest continues. */
import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { notShown as text } from '../text/design.ts';
import { ApiError } from '../api/api.ts';
import { Button } from './button.tsx';
import classes from './part.module.css';

export function Part({ children }: { readonly children: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => ''} errorComponent={NotShown}>
      {children}
    </CatchBoundary>
  );
}

/** What the service refused is said by the page. */
function NotShown({ error, reset }: ErrorComponentProps) {
  if (error instanceof ApiError) throw error;
  return (
    <div className={classes['notShown']} role="alert">
      <p>{text.part}</p>
      <Button isSecondary onClick={reset}>
        {text.again}
      </Button>
    </div>
  );
}

/** Leads the keyboard to the first field of a form that is wrong, where its message is read out. */
import { useEffect, useRef, type RefObject } from 'react';

export function focusFirstProblem(form: HTMLElement | null): void {
  const wrong = form?.querySelector<HTMLElement>('[aria-invalid=true], [data-problem]');
  const field = wrong?.matches('[data-problem]')
    ? wrong.querySelector<HTMLElement>('input:enabled:not([type=radio]), button:enabled')
    : wrong;
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
}

/** For the form: each time that another attempt was refused here, or by the service. */
export function useFirstProblem<Part extends HTMLElement>(
  attempts: number,
  error: Error | null,
): RefObject<Part | null> {
  const form = useRef<Part>(null);
  useEffect(() => {
    focusFirstProblem(form.current);
  }, [attempts, error]);
  return form;
}

/** Asking colleagues for help with a request. */
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { useOnline } from '../../../shared/browser/online.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import type { RequestDetail } from '../requests-data.ts';
import { OfflineReason } from './offline-reason.tsx';
import classes from './ask-for-help.module.css';

const ChoosePeople = lazy(async () => {
  const { ChoosePeople: Component } = await loadPart(() => import('./choose-people.tsx'));
  return { default: Component };
});

export function AskForHelp({ request }: { readonly request: RequestDetail }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState(0);
  const isOnline = useOnline();
  const reason = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <div className={classes['help']}>
      <Button
        isSecondary
        disabled={!isOnline}
        aria-describedby={reason}
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.help}
      </Button>
      <OfflineReason id={reason} />
      <div role="status">{asked > 0 && text.helpDone(asked)}</div>
      <dialog
        ref={dialog}
        className={classes['dialog']}
        aria-labelledby="help-title"
        onClose={() => {
          setOpen(false);
        }}
      >
        {isOpen && (
          <Suspense fallback={null}>
            <ChoosePeople
              request={request}
              done={(people) => {
                setAsked(people);
                setOpen(false);
              }}
              close={() => {
                setOpen(false);
              }}
            />
          </Suspense>
        )}
      </dialog>
    </div>
  );
}

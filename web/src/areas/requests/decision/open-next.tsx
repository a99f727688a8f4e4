/** Going on after a decision: the next request opens by itself where the person has switched that on. */
import { useMutationState } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { requests as text } from '../../../shared/text/requests.ts';
import { OutcomeSign } from '../decided-by.tsx';
import { useDecisionState } from './decision-data.ts';
import { opensNext } from './decision-storage.ts';
import type { Decision } from './send-decision.ts';
import classes from './open-next.module.css';

interface OpenNext {
  readonly id: string;
  readonly status: string;
  /** The id of the request to decide next. */
  readonly next: string | undefined;
}

/** Only for a decision that was made while the page was open, and that counted. */
export function useOpenNext({ id, status, next }: OpenNext): void {
  const navigate = useNavigate();
  const search = useSearch({ from: '/signed-in/queue' });
  const [wasPending] = useState(status === 'pending');
  const { intent, isSending } = useDecisionState(id);
  const isDue = wasPending && !isSending && intent === status && next !== undefined;
  const open = useEffectEvent(() => {
    if (next !== undefined && opensNext.read())
      void navigate({ to: '/requests/$id', params: { id: next }, search, replace: true });
  });
  useEffect(() => {
    if (isDue) open();
  }, [isDue]);
}

export function OpensNextSetting() {
  const [isOn, setOn] = useState(opensNext.read);
  return (
    <label className={classes['setting']}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => {
          opensNext.write(currentTarget.checked);
          setOn(currentTarget.checked);
        }}
      />
      {text.opensNext}
    </label>
  );
}

/** What became of the decision before, on the page that opened by itself. */
export function LastDecision({ id }: { readonly id: string }) {
  const search = useSearch({ from: '/signed-in/queue' });
  const last = useMutationState({
    filters: { mutationKey: ['decisions'], status: 'success' },
    select: ({ state }) => state.variables as Decision | undefined,
  }).at(-1);
  if (!last || last.id === id || !opensNext.read()) return null;
  return (
    <p role="status" className={classes['last']}>
      <OutcomeSign status={last.intent} /> {text.lastDecision[last.intent]}{' '}
      <Link to="/requests/$id" params={{ id: last.id }} search={search}>
        {text.openLast}
      </Link>
    </p>
  );
}

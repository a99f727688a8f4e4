/** The open pane while no request is open. Next to the list, that is only until the first one of the list opens. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { BREAKPOINTS } from '../../../shared/design/breakpoints.ts';
import { useTitle } from '../../../shared/page/title.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { useQueue } from './queue-data.ts';
import classes from './no-request.module.css';

export function NoRequest() {
  useTitle(text.queueTitle);
  const search = useSearch({ from: '/signed-in/queue' });
  const navigate = useNavigate();
  const { rows } = useQueue(search);
  const first = rows?.[0]?.id;
  // Reading changes nothing of a request. A phone shows the list.
  const open = useEffectEvent((id: string) => {
    if (matchMedia(BREAKPOINTS['two-panes']).matches)
      void navigate({ to: '/requests/$id', params: { id }, search, replace: true });
  });
  useEffect(() => {
    if (first !== undefined) open(first);
  }, [first]);
  if (rows?.length === 0) return null;
  return <p className={classes['none']}>{text.choose}</p>;
}

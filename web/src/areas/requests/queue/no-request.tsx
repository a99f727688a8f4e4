/** The open pane while no request is open. */
import { useTitle } from '../../../shared/page/title.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import classes from './no-request.module.css';

export function NoRequest() {
  useTitle(text.queueTitle);
  return <p className={classes['none']}>{text.choose}</p>;
}

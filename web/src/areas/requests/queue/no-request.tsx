/** The open pane while no request is open. */
import { requests as text } from '../../../text/requests.ts';
import classes from './no-request.module.css';

export function NoRequest() {
  return <p className={classes['none']}>{text.choose}</p>;
}

/** Something is being waited for. What is around it says what, also to screen readers. */
import classes from './spinner.module.css';

export function Spinner() {
  return <span className={classes['spinner']} />;
}

/** What an agent is for: its calls pass here before a tool runs. */
import { agents as text } from '../text.ts';
import classes from './picture.module.css';

export function Picture() {
  return (
    <p className={classes['picture']}>
      {text.picture.map((part, index) => (
        <span key={part}>
          {index > 0 && <i aria-hidden="true">→</i>}
          <b>{part}</b>
        </span>
      ))}
    </p>
  );
}

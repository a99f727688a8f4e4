/** How many of the requests of the last week ended at a rule: a thin bar with its number. */
import type { Share as Counted } from './shares.ts';
import { rules as text } from '../text.ts';
import classes from './share.module.css';

export function Share({ share: { count, of } }: { readonly share: Counted }) {
  const percent = of === 0 ? 0 : (100 * count) / of;
  return (
    <p className={classes['share']} title={text.share(count, of)}>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className={classes['track']} width="100" height="4" />
        <rect
          className={classes['bar']}
          width={count === 0 ? 0 : Math.max(1, percent)}
          height="4"
        />
      </svg>
      <span aria-hidden="true">{text.percent(percent)}</span>
      <span className="visually-hidden">{text.share(count, of)}</span>
    </p>
  );
}

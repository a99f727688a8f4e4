/** Requests of the last seven days as small bars, and in words. */
import { agents as text } from '../text.ts';
import classes from './trend.module.css';

const HEIGHT = 20;
const BAR = 6;
const STEP = 8;

export function Trend({ days }: { readonly days: readonly number[] }) {
  const most = Math.max(1, ...days);
  const label = text.trend(
    days.reduce((sum, each) => sum + each, 0),
    days.at(-1) ?? 0,
  );
  return (
    <svg
      role="img"
      aria-label={label}
      width={days.length * STEP}
      height={HEIGHT}
      className={classes['trend']}
    >
      <title>{label}</title>
      {days.map((requests, index) => {
        const height = requests === 0 ? 1 : Math.max(2, Math.round((requests / most) * HEIGHT));
        return (
          <rect
            key={index}
            x={index * STEP}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            data-some={requests > 0}
          />
        );
      })}
    </svg>
  );
}

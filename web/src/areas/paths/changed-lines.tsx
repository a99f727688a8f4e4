/** What one text changes from another, line by line. */
import { diffLines } from 'diff/lib/diff/line.js';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import classes from './path-page.module.css';

const MOST_MS = 200;

export function ChangedLines({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}) {
  const parts = (diffLines(before, after, { timeout: MOST_MS }) ?? []).filter(
    ({ added, removed }) => added || removed,
  );
  return (
    <pre className={classes['lines']} tabIndex={0}>
      {parts.map(({ added, value }, index) => (
        <span key={index} className={classes[added ? 'added' : 'gone']}>
          <ForeignText text={value} isSource />
        </span>
      ))}
    </pre>
  );
}

/** What one revision of an endpoint changes from another, as sentences. */
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { endpoint as text } from '../text.ts';
import { changedMembers, documentIn } from './document.ts';
import classes from './endpoint.module.css';

export function Changes({ before, after }: { readonly before: string; readonly after: string }) {
  const [one, other] = [documentIn(before), documentIn(after)];
  const changed = changedMembers(before, after);
  if (changed.length === 0) return <p>{text.noDifference}</p>;
  return (
    <ul className={classes['changes']}>
      {changed.map((member) => (
        <li key={member}>
          {text.changedFrom[member]}: <Value text={one[member]} /> {text.becomes}{' '}
          <Value text={other[member]} />
        </li>
      ))}
    </ul>
  );
}

const Value = ({ text: value }: { readonly text: string }) =>
  value === '' ? (
    text.nothing
  ) : (
    <strong>
      <ForeignText text={value} isName />
    </strong>
  );

/** A number as it was sent. Digits stand in groups of three by their places alone: nothing is between them in a copy. */
import { ForeignText } from './foreign-text.tsx';
import classes from './exact-number.module.css';

const PLAIN = /^(?<sign>-?)(?<digits>\d{5,})(?<rest>(?:\.\d*)?)$/;

export function ExactNumber({ source }: { readonly source: string }) {
  const { sign = '', digits = '', rest = '' } = PLAIN.exec(source)?.groups ?? {};
  if (digits === '') return <ForeignText text={source} />;
  return (
    <bdi dir="ltr" translate="no">
      {sign}
      {groupsOf(digits).map((group, index) => (
        <span key={index} className={classes['group']}>
          {group}
        </span>
      ))}
      {rest}
    </bdi>
  );
}

/** Of three digits each, from the right. */
const groupsOf = (digits: string): readonly string[] =>
  digits.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? [digits];

/** What a key may do, as a sentence. */
import { permissionText } from '../../../shared/text/permissions.ts';
import { keys as text } from '../text.ts';
import classes from '../keys.module.css';

const MOST_SHOWN = 3;

interface MayDoProps {
  /** Null: everything that its member may do. */
  readonly permissions: readonly string[] | null;
  /** For a key of which nothing is narrowed. */
  readonly everything: string;
}

export function MayDo({ permissions, everything }: MayDoProps) {
  if (permissions === null) return <p>{everything}</p>;
  const texts = permissions.map((key) => inSentence(permissionText(key)));
  const more = texts.length - MOST_SHOWN;
  if (more <= 0) return <p>{text.may(texts)}</p>;
  return (
    <details className={classes['more']}>
      <summary>
        {text.may(texts.slice(0, MOST_SHOWN)).replace(/\.$/, '')}; {text.more(more)}
      </summary>
      <ul>
        {permissions.map((key) => (
          <li key={key}>{permissionText(key)}</li>
        ))}
      </ul>
    </details>
  );
}

const inSentence = (words: string): string => `${words.charAt(0).toLowerCase()}${words.slice(1)}`;

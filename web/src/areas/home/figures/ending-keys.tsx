/** API keys that soon no longer work, each with the way to it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import type { Overview } from '../home-data.ts';
import { home as text } from '../text.ts';
import classes from './figures.module.css';

type Keys = Overview['ending_keys']['keys'];

export function EndingKeys({ keys }: { readonly keys: Keys }) {
  return keys.map(({ id, name, kind, ends_at: end, is_own: isOwn }) => (
    <li key={id} className={classes['row']}>
      {isOwn ? (
        <Link to="/account/keys" search={{ q: name }}>
          <ForeignText text={name} isName />
        </Link>
      ) : (
        <Link to="/settings/keys/$id" params={{ id }}>
          <ForeignText text={name} isName />
        </Link>
      )}
      <span className={classes['soft']}>
        {text.key(kind, isOwn)} · {text.ends} <Instant at={end} as="in" focusable={false} />
      </span>
    </li>
  ));
}

export function MoreKeys({ count }: { readonly count: number }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (count <= 0) return null;
  return (
    <p>
      {text.moreKeys(count)} ·{' '}
      {hasPermission(account, 'api_key.read') ? (
        <Link to="/settings/keys" search={{ show: 'ending' }}>
          {text.toKeys}
        </Link>
      ) : (
        <Link to="/account/keys">{text.toOwnKeys}</Link>
      )}
    </p>
  );
}

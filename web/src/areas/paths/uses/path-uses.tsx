/** In the head of a path: which rules use it, and how many requests wait on it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { uses as text } from './text.ts';
import { UseLink, keyOfUse } from './use-link.tsx';
import { usesQuery } from './uses-data.ts';

const FIRST = 3;

export function PathUses({ pathKey }: { readonly pathKey: string }) {
  const { data } = useQuery(usesQuery(pathKey));
  const { data: account } = useQuery(accountQuery);
  const [isWhole, setWhole] = useState(false);
  if (!data) return null;
  const { uses, truncated, waiting_count: waiting } = data;
  const shown = isWhole ? uses : uses.slice(0, FIRST);
  return (
    <>
      <br />
      {uses.length === 0 ? text.notUsed : text.usedBy}{' '}
      {uses.length === 0 && account && hasPermission(account, 'pipeline.write') && (
        <Link to="/rules">{text.chooseIt}</Link>
      )}
      {shown.map((use, index) => (
        <Fragment key={keyOfUse(use)}>
          {index > 0 && ', '}
          <UseLink use={use} />
        </Fragment>
      ))}
      {shown.length < uses.length && (
        <>
          {' '}
          <LinkButton
            onClick={() => {
              setWhole(true);
            }}
          >
            {text.more(uses.length - shown.length)}
          </LinkButton>
        </>
      )}
      {truncated && shown.length === uses.length && ` ${text.andOthers}`}
      {waiting > 0 && (
        <>
          {' · '}
          <Link to="/" search={{ tab: 'all' }}>
            {text.waiting(waiting)}
          </Link>{' '}
          {text.keep}
        </>
      )}
    </>
  );
}

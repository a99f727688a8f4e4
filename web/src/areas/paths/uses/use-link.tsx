/** A rule or a default that uses a path, as a link to it. */
import { Link } from '@tanstack/react-router';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { uses as text } from './text.ts';
import type { PathUse } from './uses-data.ts';

export function UseLink({ use }: { readonly use: PathUse }) {
  const { agent_slug: slug, block_name: name, block_key: key = '' } = use;
  const what = name === undefined ? text.default : <ForeignText text={name} isName />;
  if (slug === undefined)
    return (
      <>
        <Link to="/rules" hash={key}>
          {what}
        </Link>{' '}
        ({text.organization})
      </>
    );
  return (
    <>
      <Link to="/agents/$slug/rules" params={{ slug }} hash={key}>
        {what}
      </Link>{' '}
      ({text.agent} <ForeignText text={slug} isName />)
    </>
  );
}

export const keyOfUse = ({ pipeline_id: id, block_key: key = '' }: PathUse): string =>
  `${id} ${key}`;

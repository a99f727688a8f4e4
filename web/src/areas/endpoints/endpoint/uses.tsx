/** The active rules that ask an endpoint, as links to them. */
import { Link } from '@tanstack/react-router';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Use } from '../endpoints-data.ts';
import { endpoint as text } from '../text.ts';

export const keyOfUse = ({ pipeline_id: id, block_key: key }: Use): string => `${id} ${key}`;

export function UseLink({ use: { agent_slug: slug, block_key: key } }: { readonly use: Use }) {
  const rule = <ForeignText text={key} isName />;
  if (slug === undefined)
    return (
      <>
        <Link to="/rules" hash={key}>
          {rule}
        </Link>{' '}
        ({text.organization})
      </>
    );
  return (
    <>
      <Link to="/agents/$slug/rules" params={{ slug }} hash={key}>
        {rule}
      </Link>{' '}
      ({text.agent} <ForeignText text={slug} isName />)
    </>
  );
}

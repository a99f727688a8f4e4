/** Leads to the rules of the agent, with a draft of a rule for requests like this one. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import type { RequestDetail } from '../requests-data.ts';

export function MakeRuleLink({
  request: { id, agent_slug: slug },
}: {
  readonly request: RequestDetail;
}) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const may = (permission: string) => hasPermissionFor(account, permission, slug);
  if (!may('pipeline.write') || !may('pipeline.read')) return null;
  return (
    <Link to="/agents/$slug/rules" params={{ slug }} search={{ from: id }}>
      {text.makeRule}
    </Link>
  );
}

/** The way from a rule to the endpoint that it asks, or to a new one. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { rules as text } from '../text.ts';

export function EndpointLink({ endpointKey }: { readonly endpointKey: string }) {
  const { data: account } = useQuery(accountQuery);
  if (!account || !hasPermission(account, 'webhook.read')) return null;
  return (
    <p>
      {endpointKey === '' ? (
        <Link to="/endpoints">{text.toEndpoints}</Link>
      ) : (
        <Link to="/endpoints/$endpointKey" params={{ endpointKey }}>
          {text.toEndpoint}
        </Link>
      )}
    </p>
  );
}

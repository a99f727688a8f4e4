/** One webhook endpoint: where it posts, a test, what was posted, and its secret. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Failed, Loading, MissingPermission } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { endpointQuery, isWithoutKey } from '../endpoints-data.ts';
import { WithoutKey } from '../without-key.tsx';
import { EndpointEditor } from './endpoint-editor.tsx';

const READ = 'webhook.read';

export function EndpointPage() {
  const { endpointKey } = useParams({ from: '/signed-in/rules/endpoints/$endpointKey' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, READ);
  const endpoint = useQuery({
    ...endpointQuery(endpointKey),
    enabled: mayRead,
    refetchOnWindowFocus: 'always',
  });
  if (!mayRead) return <MissingPermission permission={READ} />;
  if (endpoint.isPending) return <Loading />;
  if (!endpoint.data) {
    if (isWithoutKey(endpoint.error)) return <WithoutKey />;
    return <Failed error={endpoint.error} reset={() => void endpoint.refetch()} />;
  }
  return <EndpointEditor key={endpointKey} endpoint={endpoint.data} account={account} />;
}

/** One escalation path: read, changed, saved and activated. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Failed, Loading, MissingPermission } from '../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { PathEditor } from './path-editor.tsx';
import { pathQuery } from './paths-data.ts';

const READ = 'escalation_path.read';

export function PathPage() {
  const { pathKey } = useParams({ from: '/signed-in/rules/paths/$pathKey' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, READ);
  const path = useQuery({
    ...pathQuery(pathKey),
    enabled: mayRead,
    refetchOnWindowFocus: 'always',
  });
  if (!mayRead) return <MissingPermission permission={READ} />;
  if (path.isPending) return <Loading />;
  if (!path.data) return <Failed error={path.error} reset={() => void path.refetch()} />;
  const { active, newest } = path.data;
  return <PathEditor key={pathKey} {...{ pathKey, active, newest, account }} />;
}

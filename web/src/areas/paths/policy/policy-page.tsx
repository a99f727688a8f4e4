/** The escalation policy of one team: in which order a path asks its members. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Failed, Loading, MissingPermission } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { teamQuery } from '../targets-data.ts';
import { policyQuery } from './policy-data.ts';
import { PolicyEditor } from './policy-editor.tsx';

const READ = 'team.read';

export function PolicyPage() {
  const { teamId } = useParams({ from: '/signed-in/rules/teams/$teamId/policy' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, READ);
  const team = useQuery({ ...teamQuery(teamId), enabled: mayRead });
  const policy = useQuery({
    ...policyQuery(teamId),
    enabled: mayRead,
    refetchOnWindowFocus: 'always',
  });
  if (!mayRead) return <MissingPermission permission={READ} />;
  if (team.isError) return <Failed error={team.error} reset={() => void team.refetch()} />;
  if (policy.isPending || team.isPending) return <Loading />;
  if (!policy.data) return <Failed error={policy.error} reset={() => void policy.refetch()} />;
  return <PolicyEditor key={teamId} team={team.data} {...policy.data} account={account} />;
}

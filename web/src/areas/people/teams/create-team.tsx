/** Creates a team, then leads to it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../../shared/api/api.ts';
import { readPeopleAgain } from '../people-data.ts';
import { TeamName } from './team-name.tsx';
import { teams as text } from './text.ts';

export function CreateTeam({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async (name: string) =>
      (await call('post', '/api/v1/teams', { body: { name } })).body.team,
    onSuccess: async ({ id }) => {
      await readPeopleAgain(queries);
      await navigate({ to: '/teams/$teamId', params: { teamId: id } });
    },
  });
  return (
    <TeamName
      title={text.createTitle}
      label={text.name}
      submit={text.submit}
      busy={text.creating}
      doing={create}
      onSubmit={create.mutate}
      onClose={onClose}
    />
  );
}

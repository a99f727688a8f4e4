/** Ends a policy: the team is asked as a whole again. */
import { useQueryClient } from '@tanstack/react-query';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { deactivatePolicy } from './policy-data.ts';
import { policy as text } from './text.ts';

interface StopPolicyProps {
  readonly teamId: string;
  readonly over: number;
  readonly onClose: () => void;
}

export function StopPolicy({ teamId, over, onClose }: StopPolicyProps) {
  const queries = useQueryClient();
  const stopping = useSensitiveMutation({
    mutationFn: async () => {
      await deactivatePolicy(teamId, over);
    },
    onSuccess: onClose,
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['team-policies'] });
    },
  });
  return (
    <Consequence
      title={text.stopTitle}
      label={text.stopNow}
      busy={text.stopping}
      doing={stopping}
      onConfirm={() => {
        stopping.mutate();
      }}
      onClose={onClose}
    >
      <p>{text.stopWhy}</p>
    </Consequence>
  );
}

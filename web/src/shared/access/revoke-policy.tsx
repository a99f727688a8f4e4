/** Revokes a policy, after it has said what that would do. */
import { Consequence } from '../design/dialogs/consequence.tsx';
import type { Policy, PolicyHolder } from './access-data.ts';
import classes from './access.module.css';
import { ChangeEffect } from './change-effect.tsx';
import { useRevokePolicy } from './policy-changes.ts';
import { PolicySentence } from './policy-sentence.tsx';
import { access, editor as text } from './text.ts';

interface RevokePolicyProps {
  readonly holder: PolicyHolder;
  readonly policy: Policy;
  readonly onClose: () => void;
}

export function RevokePolicy({ holder, policy, onClose }: RevokePolicyProps) {
  const revoke = useRevokePolicy(holder, policy, onClose);
  return (
    <Consequence
      title={text.revoke}
      label={access.revoke}
      busy={text.revoking}
      doing={revoke}
      onConfirm={() => {
        revoke.mutate();
      }}
      onClose={onClose}
    >
      <p className={classes['reads']}>
        <PolicySentence terms={policy} resources={policy.resources} />
      </p>
      <ChangeEffect
        change={{
          change: 'delete_policy',
          holder: { kind: holder.kind, id: holder.id },
          policy_id: policy.id,
        }}
      />
    </Consequence>
  );
}

/** What the service advises about a path, as sentences. */
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import type { EscalationWarning } from './paths-data.ts';
import { paths as text } from './text.ts';

export function WarningList({ warnings }: { readonly warnings: readonly EscalationWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul>
      {warnings.map((warning, index) => (
        <li key={index}>
          <Sentence warning={warning} />
        </li>
      ))}
    </ul>
  );
}

function Sentence({ warning }: { readonly warning: EscalationWarning }) {
  switch (warning.code) {
    case 'user_cannot_decide':
    case 'user_has_no_channel':
    case 'target_not_reached':
      return (
        <>
          <ForeignText text={warning.display_name} isName />:{' '}
          {warning.code === 'user_has_no_channel' && text.noChannel}
          {warning.code === 'target_not_reached' && text.notReached}
          {warning.code === 'user_cannot_decide' &&
            (warning.agent_name === undefined ? (
              text.cannotDecide
            ) : (
              <>
                {text.cannotDecideFor} <ForeignText text={warning.agent_name} isName />
              </>
            ))}
        </>
      );
    case 'empty_team':
      return (
        <>
          <ForeignText text={warning.team_name} isName />: {text.emptyTeam}
        </>
      );
    case 'team_members_cannot_decide':
      return (
        <>
          <ForeignText text={warning.team_name} isName />:{' '}
          {text.membersCannotDecide(warning.count, warning.member_count)}
        </>
      );
    case 'team_policy_longer_than_level':
      return (
        <>
          {text.policyOf} <ForeignText text={warning.team_name} isName /> {text.longPolicy}
        </>
      );
    case 'first_level_after_deadline':
      return text.lateFinding;
  }
}

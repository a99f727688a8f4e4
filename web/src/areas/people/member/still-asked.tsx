/** The paths and policies that ask a person by name, and the box to continue anyway. */
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../../shared/api/api.ts';
import { Checkbox } from '../../../shared/design/fields/checkbox.tsx';
import { useFirstProblem } from '../../../shared/design/fields/first-problem.ts';
import note from '../../../shared/design/note.module.css';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { leaving as text } from '../text.ts';
import type { MemberUses } from './member-data.ts';
import classes from '../people.module.css';

type Asking = Pick<MemberUses, 'escalation_paths' | 'team_escalation_policies'>;

/** What the service refused for. */
export function refusedFor(error: Error | null): Asking | undefined {
  if (!(error instanceof ApiError) || error.code !== 'membership_in_escalation_path')
    return undefined;
  return error.details as unknown as Asking;
}

interface StillAskedProps {
  readonly uses: Asking;
  readonly isForced: boolean;
  /** How often someone continued without ticking the box. */
  readonly refusals: number;
  readonly onForce: (isForced: boolean) => void;
  readonly onLeave: () => void;
}

export function StillAsked({ uses, isForced, refusals, onForce, onLeave }: StillAskedProps) {
  const part = useFirstProblem<HTMLElement>(refusals, null);
  return (
    <section ref={part} className={`${note['warning'] ?? ''} ${classes['part'] ?? ''}`}>
      <h3>{text.staysAsked}</h3>
      <ul className={classes['list']}>
        {uses.escalation_paths.map(({ path_key: pathKey, name }) => (
          <li key={pathKey}>
            {text.path}{' '}
            <Link to="/paths/$pathKey" params={{ pathKey }} onClick={onLeave}>
              <ForeignText text={name} isName />
            </Link>
          </li>
        ))}
        {uses.team_escalation_policies.map(({ team_id: teamId, team_name: name }) => (
          <li key={teamId}>
            {text.policy}{' '}
            <Link to="/teams/$teamId/policy" params={{ teamId }} onClick={onLeave}>
              <ForeignText text={name} isName />
            </Link>
          </li>
        ))}
      </ul>
      <p>{text.staysAskedHint}</p>
      <Checkbox
        label={text.force}
        isChecked={isForced}
        problem={refusals > 0 ? text.forceMissing : undefined}
        onChange={onForce}
      />
    </section>
  );
}

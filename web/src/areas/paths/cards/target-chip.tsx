/** Someone a level asks: a person, a team or everyone, and what is wrong with that. */
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { TargetView } from '../document/read-path.ts';
import type { EscalationWarning } from '../paths-data.ts';
import { nameKey, type NamedTarget } from '../targets-data.ts';
import { paths as text } from '../text.ts';
import { useCards } from './cards-context.ts';
import classes from './target-chip.module.css';

interface TargetChipProps {
  readonly target: TargetView;
  /** What the service refused of it. */
  readonly problem?: string | undefined;
}

export function TargetChip({ target, problem }: TargetChipProps) {
  const { names, warnings } = useCards();
  const named = names.get(nameKey(target));
  const trouble: readonly Trouble[] = [
    ...(problem === undefined ? [] : [{ text: problem }]),
    ...troublesOf(target, { named, warnings }),
  ];
  return (
    <span className={classes['chip']} data-trouble={trouble.length > 0}>
      <span className={classes['mark']} data-type={target.type} aria-hidden="true">
        {target.type === 'user' ? initialsOf(named?.name) : text.targetMark[target.type]}
      </span>
      <span>
        <TargetName target={target} named={named} />
        {named?.memberCount !== undefined && (
          <span className={classes['hint']}> {text.members(named.memberCount)}</span>
        )}
        {trouble.map(({ text: what, agent }) => (
          <span key={what} className={classes['trouble']}>
            {what}
            {agent !== undefined && (
              <>
                {' '}
                <ForeignText text={agent} isName />
              </>
            )}
          </span>
        ))}
      </span>
    </span>
  );
}

interface TargetNameProps {
  readonly target: TargetView;
  readonly named: NamedTarget | undefined;
}

export function TargetName({ target, named }: TargetNameProps) {
  if (target.type === 'broadcast') return <Everyone />;
  if (named) return <ForeignText text={named.name} isName />;
  return (
    <>
      {text.unnamed[target.type]} <code>{target.id.slice(0, 8)}</code>
    </>
  );
}

function Everyone() {
  const { isPolicy = false } = useCards();
  return isPolicy ? text.wholeTeam : text.everyone;
}

interface Trouble {
  readonly text: string;
  /** Whose name ends the sentence. */
  readonly agent?: string | undefined;
}

/** What keeps the person or team from being asked, in words. */
function troublesOf(
  target: TargetView,
  {
    named,
    warnings,
  }: {
    readonly named: NamedTarget | undefined;
    readonly warnings: readonly EscalationWarning[];
  },
): readonly Trouble[] {
  const state = named?.state === undefined ? [] : [{ text: text.targetState[named.state] }];
  const told = warnings.flatMap((warning): readonly Trouble[] => {
    switch (warning.code) {
      case 'user_cannot_decide':
        return warning.membership_id === target.id && state.length === 0
          ? [cannotDecide(warning.agent_name)]
          : [];
      case 'user_has_no_channel':
        return warning.membership_id === target.id ? [{ text: text.noChannel }] : [];
      case 'target_not_reached':
        return warning.membership_id === target.id ? [{ text: text.notReached }] : [];
      case 'empty_team':
        return warning.team_id === target.id ? [{ text: text.emptyTeam }] : [];
      case 'team_members_cannot_decide':
        return warning.team_id === target.id
          ? [{ text: text.membersCannotDecide(warning.count, warning.member_count) }]
          : [];
      default:
        return [];
    }
  });
  return [...state, ...told];
}

const cannotDecide = (agent: string | undefined): Trouble =>
  agent === undefined ? { text: text.cannotDecide } : { text: text.cannotDecideFor, agent };

const initialsOf = (name: string | undefined): string =>
  (name ?? '?')
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0] ?? '')
    .filter((letter) => /^[\p{L}\p{N}]$/u.test(letter))
    .join('')
    .toUpperCase();

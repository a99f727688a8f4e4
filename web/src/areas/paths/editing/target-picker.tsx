/** Finds people and teams by name, for a level to ask. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { TargetView } from '../document/read-path.ts';
import { membersQuery, nameKey, peopleQuery, teamsQuery } from '../targets-data.ts';
import { paths } from '../text.ts';
import { editing as text } from './text.ts';
import classes from './editing.module.css';

type Target = Pick<TargetView, 'type' | 'id'>;
export type Picked = Target & { readonly name: string };

interface TargetPickerProps {
  readonly chosen: readonly Target[];
  /** Only members of this team, or all of them. */
  readonly teamId?: string | undefined;
  readonly onPick: (target: Picked) => void;
}

export function TargetPicker({ chosen, teamId, onPick }: TargetPickerProps) {
  const [q, setQ] = useState('');
  const typed = useDeferredValue(q.trim());
  const isPath = teamId === undefined;
  const all = useQuery({ ...peopleQuery(typed), enabled: isPath });
  const members = useQuery({ ...membersQuery(teamId ?? '', typed), enabled: !isPath });
  const people = isPath ? all.data : members.data;
  const teams = useQuery({ ...teamsQuery(typed), enabled: isPath });
  const known = new Set(chosen.map(nameKey));
  const isNew = (target: Target) => !known.has(nameKey(target));
  const found = [
    ...(typed === ''
      ? [
          {
            type: 'broadcast' as const,
            id: '',
            name: teamId === undefined ? paths.everyone : paths.wholeTeam,
            more: '',
          },
        ]
      : []),
    ...(teams.data ?? []).map(({ id, name, member_count: count }) => ({
      ...{ type: 'team' as const, id, name },
      more: paths.members(count),
    })),
    ...(people ?? []).map(({ id, display_name: name, email }) => ({
      ...{ type: 'user' as const, id, name, more: email },
    })),
  ].filter(isNew);
  return (
    <div className={classes['picker']}>
      <TextBox
        label={teamId === undefined ? text.find : text.findMember}
        value={q}
        onChange={setQ}
        maxLength={100}
      />
      <ul className={classes['found']} aria-label={text.found}>
        {found.map(({ name, more, ...target }) => (
          <Found
            key={nameKey(target)}
            onPick={() => {
              onPick({ ...target, name });
            }}
          >
            <ForeignText text={name} isName /> <ForeignText text={more} isName />
          </Found>
        ))}
        {found.length === 0 && people && <li>{text.noneFound}</li>}
      </ul>
    </div>
  );
}

const Found = ({
  onPick,
  children,
}: {
  readonly onPick: () => void;
  readonly children: ReactNode;
}) => (
  <li>
    <button type="button" onClick={onPick}>
      {children}
    </button>
  </li>
);

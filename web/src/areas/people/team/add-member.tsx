/** Finds people and adds them to a team. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { useSettled } from '../../../shared/browser/settled.ts';
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { Item, Items } from '../../../shared/design/lists/items.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PartFailed } from '../../../shared/page/states.tsx';
import type { Member, TeamMember } from '../people-data.ts';
import { team as text } from '../teams/text.ts';
import { candidatesQuery, type ChangeMembers } from './team-data.ts';
import classes from '../people.module.css';

interface AddMemberProps {
  readonly members: readonly TeamMember[];
  readonly change: ChangeMembers;
}

export function AddMember({ members, change }: AddMemberProps) {
  const [q, setQ] = useState('');
  const settled = useSettled(q.trim());
  const found = useQuery({
    ...candidatesQuery(settled),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const isIn = ({ id }: Member) =>
    members.some(({ membership_id: each, sources }) => each === id && sources.includes('manual'));
  const add = ({ id, display_name: name }: Member) => {
    if (change.isPending) return;
    change.mutate(
      { add: id },
      {
        onSuccess: () => {
          showToast(text.added(name), {
            undo: () => {
              change.mutate({ takeOut: id });
            },
          });
        },
      },
    );
  };
  const isSearching = q.trim() !== '';
  return (
    <div className={classes['part']}>
      <TextBox
        label={text.add}
        description={text.addHint}
        maxLength={100}
        value={q}
        onChange={setQ}
      />
      {found.isError && <PartFailed part={found} />}
      {isSearching && found.data?.people.length === 0 && <p role="status">{text.noneFound}</p>}
      {isSearching && found.data && found.data.people.length > 0 && (
        <Items>
          {found.data.people.map((person) => (
            <Candidate
              key={person.id}
              person={person}
              isIn={isIn(person)}
              isHeld={change.isPending}
              isBusy={change.isPending && change.variables.add === person.id}
              onAdd={() => {
                add(person);
              }}
            />
          ))}
        </Items>
      )}
      {isSearching && found.data?.hasMore === true && <p>{text.moreFound}</p>}
    </div>
  );
}

interface CandidateProps {
  readonly person: Member;
  readonly isIn: boolean;
  /** Another change is on its way. */
  readonly isHeld: boolean;
  readonly isBusy: boolean;
  readonly onAdd: () => void;
}

function Candidate({ person, isIn, isHeld, isBusy, onAdd }: CandidateProps) {
  const { display_name: name, email } = person;
  return (
    <Item
      name={<ForeignText text={name} isName />}
      current={isIn ? text.inTeam : undefined}
      actions={
        isIn ? undefined : (
          <Button
            isSecondary
            isSmall
            aria-label={text.addOf(name)}
            aria-disabled={isHeld}
            aria-busy={isBusy}
            onClick={onAdd}
          >
            {isBusy ? text.adding : text.addThis}
          </Button>
        )
      }
    >
      <p>
        <bdi>{email}</bdi>
      </p>
    </Item>
  );
}

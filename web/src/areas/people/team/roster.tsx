/** The members of a team. Each change takes effect at once, and can be undone. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ChangeEffect } from '../../../shared/access/change-effect.tsx';
import { Item, Items } from '../../../shared/design/lists/items.tsx';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PersonLink } from '../../../shared/page/person-links.tsx';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import type { TeamMember } from '../people-data.ts';
import { team as text } from '../teams/text.ts';
import { AddMember } from './add-member.tsx';
import { idsByHand, isNamedInPolicy, useChangeMembers, type ChangeMembers } from './team-data.ts';
import classes from '../people.module.css';

interface RosterProps {
  readonly teamId: string;
  readonly members: readonly TeamMember[];
  readonly mayChange: boolean;
  readonly mayFind: boolean;
}

/** `asked`: who the policy asks by name. They leave only once someone says so. */
function useTakeOut(change: ChangeMembers) {
  const [asked, setAsked] = useState<TeamMember>();
  const takeOut = (member: TeamMember, force = false) => {
    const { membership_id: id, display_name: name } = member;
    if (change.isPending) return;
    change.mutate(
      { takeOut: id, force },
      {
        onSuccess: () => {
          setAsked(undefined);
          showToast(text.takenOut(name), {
            undo: () => {
              change.mutate({ add: id });
            },
          });
        },
        onError: (error) => {
          if (isNamedInPolicy(error)) setAsked(member);
        },
      },
    );
  };
  return { asked, setAsked, takeOut };
}

export function Roster({ teamId, members, mayChange, mayFind }: RosterProps) {
  const change = useChangeMembers(teamId);
  const { asked, setAsked, takeOut } = useTakeOut(change);
  return (
    <Panel title={text.membersTitle} hint={text.membersHint}>
      {change.isError && !asked && (
        <p role="alert" className={classes['problem']}>
          {change.error.message}
        </p>
      )}
      {members.length === 0 && <p>{text.noMembers}</p>}
      {members.length > 0 && (
        <Items>
          {members.map((member) => (
            <Row
              key={member.membership_id}
              member={member}
              isHeld={change.isPending}
              onTakeOut={
                mayChange
                  ? () => {
                      takeOut(member);
                    }
                  : undefined
              }
            />
          ))}
        </Items>
      )}
      {mayChange && mayFind && <AddMember members={members} change={change} />}
      {asked && (
        <StillAsked
          teamId={teamId}
          member={asked}
          members={members}
          change={change}
          onConfirm={() => {
            takeOut(asked, true);
          }}
          onClose={() => {
            change.reset();
            setAsked(undefined);
          }}
        />
      )}
    </Panel>
  );
}

interface RowProps {
  readonly member: TeamMember;
  /** Another change is on its way. */
  readonly isHeld: boolean;
  readonly onTakeOut: (() => void) | undefined;
}

function Row({ member, isHeld, onTakeOut }: RowProps) {
  const { membership_id: id, display_name: name, email, status, sources } = member;
  return (
    <Item
      name={<PersonLink id={id} name={name} />}
      actions={
        onTakeOut &&
        sources.includes('manual') && (
          <Button
            isSecondary
            isSmall
            aria-label={text.takeOutOf(name)}
            aria-disabled={isHeld}
            onClick={onTakeOut}
          >
            {text.takeOut}
          </Button>
        )
      }
    >
      <p className={classes['row']}>
        <bdi>{email}</bdi>
        {status === 'suspended' && <Badge tone="warn">{text.suspended}</Badge>}
        {sources.includes('directory') && <span>{text.fromDirectory}</span>}
      </p>
    </Item>
  );
}

interface StillAskedProps {
  readonly teamId: string;
  readonly member: TeamMember;
  readonly members: readonly TeamMember[];
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function StillAsked(props: StillAskedProps) {
  const { teamId, member, members, change, onConfirm, onClose } = props;
  const left = idsByHand(members).filter((id) => id !== member.membership_id);
  return (
    <Consequence
      title={text.stillAsked(member.display_name)}
      label={text.goOn}
      busy={text.goingOn}
      doing={{ ...change, error: isNamedInPolicy(change.error) ? null : change.error }}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        {text.stillAskedWhy} <ForeignText text={member.display_name} isName />
      </p>
      <p>{text.stillAskedHint}</p>
      <ChangeEffect
        change={{ change: 'set_team_members', team_id: teamId, membership_ids: left }}
      />
      <p>
        <Link to="/teams/$teamId/policy" params={{ teamId }}>
          {text.openPolicy}
        </Link>
      </p>
    </Consequence>
  );
}

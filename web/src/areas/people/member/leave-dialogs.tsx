/** What ends and what stays when a person is suspended or removed, before it happens. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { ChangeEffect } from '../../../shared/access/change-effect.tsx';
import { namesQuery } from '../../../shared/api/names.ts';
import { ConfirmButtons } from '../../../shared/design/dialogs/confirm-buttons.tsx';
import { NameForm } from '../../../shared/design/dialogs/confirm-by-name.tsx';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Loading, PartFailed } from '../../../shared/page/states.tsx';
import type { Member } from '../people-data.ts';
import { leaving as text } from '../text.ts';
import {
  useRemoveMember,
  usesQuery,
  type MemberUses,
  type useChangeStatus,
} from './member-data.ts';
import { refusedFor, StillAsked } from './still-asked.tsx';
import classes from '../people.module.css';

interface DialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Where paths ask the person by name, going on needs a box to be ticked. */
interface Forcing {
  readonly uses: MemberUses;
  readonly isForced: boolean;
  /** False until the box is ticked, and then the box says so. */
  readonly mayGoOn: () => boolean;
}

interface FrameProps extends DialogProps {
  readonly title: string;
  readonly error: Error | null;
  readonly before: (uses: MemberUses) => ReactNode;
  readonly children: (forcing: Forcing) => ReactNode;
}

function Frame({ member, title, error, before, children, onClose }: FrameProps) {
  const id = useId();
  const known = useQuery(usesQuery(member.id));
  const [isForced, setForced] = useState(false);
  /** How often they continued without ticking the box. */
  const [refusals, setRefusals] = useState(0);
  // Someone may have named them after the page read what depends on them.
  const uses = known.data && { ...known.data, ...refusedFor(error) };
  const isAsked =
    uses !== undefined && uses.escalation_paths.length + uses.team_escalation_policies.length > 0;
  const mayGoOn = () => {
    if (!isAsked || isForced) return true;
    setRefusals(refusals + 1);
    return false;
  };
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {known.isPending && <Loading />}
      {known.isError && <PartFailed part={known} />}
      {uses && (
        <>
          {before(uses)}
          {isAsked && (
            <StillAsked
              uses={uses}
              isForced={isForced}
              refusals={isForced ? 0 : refusals}
              onForce={setForced}
              onLeave={onClose}
            />
          )}
          {children({ uses, isForced, mayGoOn })}
        </>
      )}
    </Modal>
  );
}

interface SuspendProps extends DialogProps {
  readonly change: ReturnType<typeof useChangeStatus>;
}

export function SuspendDialog({ member, change, onClose }: SuspendProps) {
  const suspend = (force: boolean) => {
    change.mutate(
      { status: 'suspended', force },
      {
        onSuccess: () => {
          onClose();
          showToast(text.suspended(member.display_name), {
            undo: () => {
              change.mutate({ status: 'active' });
            },
          });
        },
      },
    );
  };
  return (
    <Frame
      member={member}
      title={text.suspendTitle(member.display_name)}
      error={change.error}
      before={() => (
        <>
          <p>{text.suspendWhy}</p>
          <AccessEnds member={member} />
        </>
      )}
      onClose={onClose}
    >
      {({ isForced, mayGoOn }) => (
        <ConfirmButtons
          doing={change}
          label={text.suspendConfirm}
          busy={text.suspending}
          isDanger
          onConfirm={() => {
            if (mayGoOn()) suspend(isForced);
          }}
          onClose={onClose}
        />
      )}
    </Frame>
  );
}

export function RemoveDialog({ member, onClose }: DialogProps) {
  const remove = useRemoveMember(member.id);
  return (
    <Frame
      member={member}
      title={text.removeTitle(member.display_name)}
      error={remove.error}
      before={(uses) => (
        <>
          <Ends member={member} keys={uses.live_api_key_count} />
          {member.status === 'active' && <AccessEnds member={member} />}
        </>
      )}
      onClose={onClose}
    >
      {({ isForced, mayGoOn }) => (
        <NameForm
          name={member.email}
          doing={remove}
          label={text.removeConfirm}
          busy={text.removing}
          onConfirm={() => {
            if (!mayGoOn()) return;
            remove.mutate(
              { force: isForced },
              {
                onSuccess: () => {
                  onClose();
                  showToast(text.removed(member.display_name));
                },
              },
            );
          }}
          onClose={onClose}
        />
      )}
    </Frame>
  );
}

/** Removal takes the same access as suspension. */
function AccessEnds({ member: { id } }: Pick<DialogProps, 'member'>) {
  return <ChangeEffect change={{ change: 'suspend_member', membership_id: id }} />;
}

function Ends({ member, keys }: { readonly member: Member; readonly keys: number }) {
  const { team_ids: ids } = member;
  const { data: names } = useQuery({ ...namesQuery(ids), enabled: ids.length > 0 });
  return (
    <div className={classes['part']}>
      <ul className={classes['list']}>
        <li>{text.endsSessions}</li>
        {keys > 0 && <li>{text.endsKeys(keys)}</li>}
        {ids.length > 0 && (
          <li>
            {text.endsTeams}{' '}
            {ids.map((id, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <ForeignText text={names?.get(id) ?? '…'} isName />
              </span>
            ))}
          </li>
        )}
        <li>{text.endsAccess}</li>
        <li>{text.endsClaims}</li>
        <li>{text.staysRecord}</li>
      </ul>
    </div>
  );
}

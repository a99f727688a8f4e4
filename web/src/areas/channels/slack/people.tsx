/** Which members linked their Slack user, and who gets no message there. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { PersonName } from '../../../shared/access/person-name.tsx';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Item, Items } from '../../../shared/design/lists/items.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { readChannelsAgain } from '../channels-data.ts';
import { unlinkMember, type Slack } from './slack-data.ts';
import { people as text } from './text.ts';
import classes from './slack.module.css';

/** More are shown on request. */
const SHOWN = 20;

type Linked = Slack['linked_members'][number];

interface PeopleProps {
  readonly slack: Slack;
  readonly canWrite: boolean;
}

export function People({ slack, canWrite }: PeopleProps) {
  const {
    linked_members: linked,
    linked_member_count: linkedCount,
    unlinked_members: unlinked,
    unlinked_member_count: unlinkedCount,
  } = slack;
  const [ending, setEnding] = useState<Linked>();
  const shownLinked = useShown(linked);
  const shownUnlinked = useShown(unlinked);
  return (
    <Panel title={text.title} hint={text.linked(linkedCount, linkedCount + unlinkedCount)}>
      <p>
        {text.each} <Link to="/account/notifications">{text.linkOwn}</Link>
      </p>
      <h3>{text.linkedTitle}</h3>
      {linkedCount === 0 && <p className={classes['soft']}>{text.noOne}</p>}
      <Items>
        {shownLinked.items.map((member) => (
          <LinkedItem
            key={member.membership_id}
            member={member}
            onUnlink={
              canWrite
                ? () => {
                    setEnding(member);
                  }
                : undefined
            }
          />
        ))}
      </Items>
      <Rest {...shownLinked} count={linkedCount} />
      <h3>{text.unlinkedTitle}</h3>
      {unlinkedCount === 0 && <p className={classes['soft']}>{text.everyone}</p>}
      <ul className={classes['names']}>
        {shownUnlinked.items.map(({ membership_id: id, display_name: name }) => (
          <li key={id}>
            <PersonName {...{ id, name }} />
          </li>
        ))}
      </ul>
      <Rest {...shownUnlinked} count={unlinkedCount} />
      {ending && (
        <UnlinkDialog
          member={ending}
          onClose={() => {
            setEnding(undefined);
          }}
        />
      )}
    </Panel>
  );
}

function useShown<Each>(all: readonly Each[]) {
  const [isAll, setAll] = useState(false);
  return {
    items: isAll ? all : all.slice(0, SHOWN),
    /** Undefined where all are shown. */
    onAll:
      isAll || all.length <= SHOWN
        ? undefined
        : () => {
            setAll(true);
          },
  };
}

interface RestProps {
  readonly items: readonly unknown[];
  readonly onAll: (() => void) | undefined;
  /** Of all, also of those that the service does not name. */
  readonly count: number;
}

function Rest({ items, onAll, count }: RestProps) {
  if (onAll) return <LinkButton onClick={onAll}>{text.showAll(count)}</LinkButton>;
  return count > items.length ? (
    <p className={classes['soft']}>{text.more(count - items.length)}</p>
  ) : null;
}

interface LinkedItemProps {
  readonly member: Linked;
  readonly onUnlink: (() => void) | undefined;
}

function LinkedItem({ member, onUnlink }: LinkedItemProps) {
  const { membership_id: id, display_name: name, slack_user_id: user } = member;
  return (
    <Item
      name={<PersonName {...{ id, name }} />}
      actions={
        onUnlink && (
          <Button isSmall isSecondary aria-label={text.unlinkOf(name)} onClick={onUnlink}>
            {text.unlink}
          </Button>
        )
      }
    >
      <p>
        {text.user} <code>{user}</code>, {text.since}{' '}
        <Instant at={member.linked_at} as="ago" focusable={false} />.{' '}
        {!member.messages_on && <strong>{text.off}</strong>}
      </p>
    </Item>
  );
}

interface UnlinkDialogProps {
  readonly member: Linked;
  readonly onClose: () => void;
}

function UnlinkDialog({ member, onClose }: UnlinkDialogProps) {
  const queries = useQueryClient();
  const ending = useSensitiveMutation({
    mutationFn: unlinkMember,
    onSuccess: async () => {
      onClose();
      showToast(text.unlinked);
      await readChannelsAgain(queries);
    },
  });
  return (
    <Consequence
      title={text.unlinkTitle}
      label={text.unlinkConfirm}
      busy={text.unlinking}
      doing={ending}
      onConfirm={() => {
        ending.mutate(member.membership_id);
      }}
      onClose={onClose}
    >
      <p>
        <ForeignText text={member.display_name} isName />, <code>{member.slack_user_id}</code>
      </p>
      <p>{text.unlinkEnds}</p>
    </Consequence>
  );
}

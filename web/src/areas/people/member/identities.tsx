/** Who a member is at the identity provider. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { Item, Items } from '../../../shared/design/lists/items.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PartFailed } from '../../../shared/page/states.tsx';
import { hasPermission, type Account } from '../../../shared/session/session.ts';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import type { Member } from '../people-data.ts';
import { identities as text } from '../text.ts';
import { identitiesQuery, useUnlink } from './member-data.ts';
import { isOwner } from '../../../shared/session/ownership.ts';

interface IdentitiesProps {
  readonly member: Member;
  readonly account: Account;
}

/** Where no one signs in with a provider, there is nothing to say. */
export function Identities({ member, account }: IdentitiesProps) {
  const identities = useQuery(identitiesQuery(member.id));
  if (identities.isError)
    return (
      <Panel title={text.title}>
        <PartFailed part={identities} />
      </Panel>
    );
  const linked = identities.data ?? [];
  if (linked.length === 0) return null;
  const mayWrite = hasPermission(account, 'membership.write');
  return (
    <Panel title={text.title} hint={text.hint}>
      <Items>
        {linked.map(({ issuer, subject, linked_at: at }) => (
          <Item key={`${issuer} ${subject}`} name={<ForeignText text={issuer} isName />}>
            <p>
              <code>
                <ForeignText text={subject} isName />
              </code>
              {' · '}
              {text.linked} <Instant at={at} as="clock" />
            </p>
          </Item>
        ))}
      </Items>
      {mayWrite && isOwner(account) && <Unlink member={member} />}
      {mayWrite && !isOwner(account) && <p>{text.ownerOnly}</p>}
    </Panel>
  );
}

function Unlink({ member: { id, email } }: { readonly member: Member }) {
  const [isOpen, setOpen] = useState(false);
  const unlink = useUnlink(id);
  const close = () => {
    unlink.reset();
    setOpen(false);
  };
  return (
    <div>
      <Button
        isSecondary
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.unlink}
      </Button>
      {isOpen && (
        <Consequence
          title={text.unlinkTitle}
          label={text.confirm}
          busy={text.unlinking}
          doing={unlink}
          onConfirm={() => {
            unlink.mutate(undefined, {
              onSuccess: () => {
                close();
                showToast(text.done);
              },
            });
          }}
          onClose={close}
        >
          <p>{text.ends}</p>
          <p>
            {text.next} <bdi>{email}</bdi>
          </p>
        </Consequence>
      )}
    </div>
  );
}

/** The ways over which the organization notifies. */
import { useInfiniteQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ReplaceSecret } from '../../../shared/secrets/replace-secret.tsx';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { permissionText } from '../../../shared/text/permissions.ts';
import {
  channelsQuery,
  createChannel,
  readChannelsAgain,
  rotateSecret,
  type Channel,
} from '../channels-data.ts';
import { channels as text, secret as secretText } from '../text.ts';
import { AbsentKind } from './channel-facts.tsx';
import { ChannelForm } from './channel-form.tsx';
import { ChannelItem } from './channel-item.tsx';
import classes from './channels.module.css';

export function Channels() {
  useTitle(text.title);
  const { data: account } = useSuspenseQuery(accountQuery);
  if (!hasPermission(account, 'connection.read'))
    return <MissingPermission permission="connection.read" />;
  return <List canWrite={hasPermission(account, 'connection.write')} />;
}

/** A secret was issued, to be shown once, for the channel of this name. */
function useSecrets() {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [dialog, setDialog] = useState<'create' | Channel>();
  const created = useIssuedSecret(createChannel);
  const rotated = useIssuedSecret(rotateSecret);
  const isIssued = (of: string) => () => {
    setName(of);
    setDialog(undefined);
    void readChannelsAgain(queries);
  };
  return {
    ...{ name, dialog, setDialog, created, rotated, isIssued },
    secret: created.secret ?? rotated.secret,
    forget: () => {
      created.forget();
      rotated.forget();
    },
    close: () => {
      setDialog(undefined);
      created.issuing.reset();
      rotated.issuing.reset();
    },
  };
}

function List({ canWrite }: { readonly canWrite: boolean }) {
  const list = useInfiniteQuery(channelsQuery);
  const secrets = useSecrets();
  const kinds = list.data?.pages[0]?.kinds ?? [];
  const rowsFor = (found: readonly Channel[]) => (
    <ul className={classes['channels']}>
      {found.map((channel) => (
        <ChannelItem
          key={channel.id}
          {...{ channel, kinds, canWrite }}
          onRotate={
            secrets.secret === undefined
              ? () => {
                  secrets.setDialog(channel);
                }
              : undefined
          }
        />
      ))}
      {!list.hasNextPage &&
        kinds
          .filter(({ kind }) => found.every((channel) => channel.kind !== kind))
          .map((readiness) => <AbsentKind key={readiness.kind} readiness={readiness} />)}
    </ul>
  );
  return (
    <Page
      title={text.title}
      hint={
        canWrite
          ? text.hint
          : `${text.hint} ${text.readOnly} “${permissionText('connection.write')}”.`
      }
      actions={
        canWrite &&
        secrets.secret === undefined && (
          <Button
            onClick={() => {
              secrets.setDialog('create');
            }}
          >
            {text.create}
          </Button>
        )
      }
    >
      <Issued secrets={secrets} />
      {/* Kinds without a channel are rows, too: the list is never empty. */}
      <PagedList list={list} rowsOf={(page) => page.notification_channels} none={rowsFor([])}>
        {rowsFor}
      </PagedList>
      <SecretDialog secrets={secrets} />
    </Page>
  );
}

type Secrets = ReturnType<typeof useSecrets>;

function Issued({ secrets: { secret, name, forget } }: { readonly secrets: Secrets }) {
  if (secret === undefined) return null;
  return (
    <ShownOnce
      title={secretText.newOf(name)}
      secret={secret}
      file={{
        name: 'countersign-webhook.env',
        variables: { COUNTERSIGN_WEBHOOK_SECRET: secret },
      }}
      ifLost={secretText.ifLost}
      onStored={forget}
    />
  );
}

function SecretDialog({ secrets }: { readonly secrets: Secrets }) {
  const { dialog, created, rotated, isIssued, close } = secrets;
  if (dialog === undefined) return null;
  if (dialog === 'create')
    return (
      <ChannelForm
        doing={created.issuing}
        onSubmit={(fields) => {
          created.issuing.mutate(fields, { onSuccess: isIssued(fields.name) });
        }}
        onClose={close}
      />
    );
  const { id, name, previous_secret_expires_at: previous } = dialog;
  return (
    <ReplaceSecret
      doing={rotated.issuing}
      atOnce={secretText.atOnce}
      previousUntil={previous}
      onReplace={(overlap) => {
        rotated.issuing.mutate({ id, overlap }, { onSuccess: isIssued(name) });
      }}
      onClose={close}
    />
  );
}

/** A connected workspace: how it is, a test, and what can be changed. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { StateMark } from '../../../shared/design/marks/badge.tsx';
import note from '../../../shared/design/note.module.css';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { stateOf } from '../channel-state.ts';
import { readChannelsAgain, testChannel } from '../channels-data.ts';
import { NotSetUp, Recent } from '../list/channel-facts.tsx';
import { TestResult } from '../list/test-result.tsx';
import { CHANNEL_TONES } from '../list/tones.ts';
import { channels as channelsText } from '../text.ts';
import { ChangeDialog, DisconnectDialog, ReplaceDialog } from './dialogs.tsx';
import { slackChannelQuery, type Connection, type Slack } from './slack-data.ts';
import { connect, connection as text } from './text.ts';
import classes from './slack.module.css';

const VARIABLES = ['COUNTERSIGN_SECRETS_KEY'];

interface ConnectionPanelProps {
  readonly slack: Slack;
  readonly connection: Connection;
  readonly canWrite: boolean;
  /** It was connected on this page just now. */
  readonly isNew: boolean;
}

export function ConnectionPanel({ slack, connection, canWrite, isNew }: ConnectionPanelProps) {
  const channel = useQuery(slackChannelQuery(connection.channel_id)).data;
  const readiness = { kind: 'slack' as const, configured: slack.configured, variables: VARIABLES };
  const state = channel && stateOf(channel, [readiness]);
  return (
    <Panel
      title={
        <span className={classes['head']}>
          <ForeignText text={connection.team_name} isName />
          {state !== undefined && (
            <StateMark tone={CHANNEL_TONES[state]}>{channelsText.states[state]}</StateMark>
          )}
        </span>
      }
    >
      {isNew && <Connected />}
      {!slack.configured && <NotSetUp variables={VARIABLES} />}
      {state === 'off' && (
        <p className={note['warning']}>
          {text.off} <Link to="/settings/channels">{text.toChannels}</Link>
        </p>
      )}
      <Terms connection={connection} />
      {channel && state && <Recent {...{ channel, state }} />}
      {canWrite && <Actions {...{ slack, connection }} />}
    </Panel>
  );
}

/** It takes the focus of the form that is gone. */
function Connected() {
  const box = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    box.current?.focus();
  }, []);
  return (
    <p ref={box} tabIndex={-1} role="status" className={note['note']}>
      {connect.connected}
    </p>
  );
}

function Terms({ connection }: { readonly connection: Connection }) {
  const { team_id: team, bot_user_id: bot, default_channel: channel } = connection;
  return (
    <Facts>
      <Fact label={text.workspace}>
        <code>{team}</code>
      </Fact>
      <Fact label={text.bot}>
        <code>{bot}</code>
      </Fact>
      <Fact label={text.channel}>{channel === null ? text.noChannel : <code>{channel}</code>}</Fact>
      <Fact label={text.connected}>
        <Instant at={connection.connected_at} as="clock" focusable={false} />
      </Fact>
      {connection.updated_at !== connection.connected_at && (
        <Fact label={text.changed}>
          <Instant at={connection.updated_at} as="clock" focusable={false} />
        </Fact>
      )}
    </Facts>
  );
}

interface ActionsProps {
  readonly slack: Slack;
  readonly connection: Connection;
}

function Actions({ slack, connection }: ActionsProps) {
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<'change' | 'replace' | 'disconnect'>();
  const test = useMutation({
    mutationFn: testChannel,
    onSettled: async () => {
      await readChannelsAgain(queries);
    },
  });
  const close = () => {
    setDialog(undefined);
  };
  const open = (which: 'change' | 'replace' | 'disconnect') => () => {
    setDialog(which);
  };
  return (
    <>
      <div className={classes['buttons']}>
        <Button
          aria-busy={test.isPending}
          onClick={() => {
            if (!test.isPending) test.mutate(connection.channel_id);
          }}
        >
          {test.isPending ? text.testing : text.test}
        </Button>
        <Button isSecondary onClick={open('change')}>
          {text.change}
        </Button>
        <Button isSecondary onClick={open('replace')}>
          {text.replace}
        </Button>
        <Button isSecondary onClick={open('disconnect')}>
          {text.disconnect}
        </Button>
      </div>
      {test.isError && <p role="alert">{test.error.message}</p>}
      {test.data && !test.isPending && <TestResult kind="slack" result={test.data} />}
      {dialog === 'change' && <ChangeDialog connection={connection} onClose={close} />}
      {dialog === 'replace' && <ReplaceDialog {...{ slack, connection }} onClose={close} />}
      {dialog === 'disconnect' && <DisconnectDialog {...{ slack, connection }} onClose={close} />}
    </>
  );
}

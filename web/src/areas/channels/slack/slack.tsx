/** The Slack workspace of the organization: connecting it, how it is, and who gets messages there. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../../../shared/page/empty.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { Failed, Loading, MissingPermission } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { permissionText } from '../../../shared/text/permissions.ts';
import { Connect } from './connect.tsx';
import { ConnectionPanel } from './connection.tsx';
import { People } from './people.tsx';
import { slackQuery, type Slack } from './slack-data.ts';
import { slack as text } from './text.ts';

const READ = 'connection.read';
const WRITE = 'connection.write';

export function SlackPage() {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (!hasPermission(account, READ)) return <MissingPermission permission={READ} />;
  const canWrite = hasPermission(account, WRITE);
  return (
    <Page
      title={text.title}
      hint={canWrite ? text.hint : `${text.hint} ${text.readOnly} “${permissionText(WRITE)}”.`}
    >
      <State canWrite={canWrite} />
    </Page>
  );
}

interface StateProps {
  readonly canWrite: boolean;
}

function State({ canWrite }: StateProps) {
  const read = useQuery(slackQuery);
  const [isNew, setNew] = useState(false);
  if (read.isPending) return <Loading />;
  if (read.isError && !read.data)
    return <Failed error={read.error} reset={() => void read.refetch()} />;
  const slack = read.data;
  const { connection } = slack;
  if (connection === null)
    return (
      <NotConnected
        {...{ slack, canWrite }}
        onConnected={() => {
          setNew(true);
        }}
      />
    );
  return (
    <>
      <ConnectionPanel {...{ slack, connection, canWrite, isNew }} />
      <People {...{ slack, canWrite }} />
    </>
  );
}

interface NotConnectedProps extends StateProps {
  readonly slack: Slack;
  readonly onConnected: () => void;
}

function NotConnected({ slack, canWrite, onConnected }: NotConnectedProps) {
  if (!slack.configured)
    return (
      <Empty title={text.noKeyTitle}>
        <p>{text.noKey}</p>
      </Empty>
    );
  if (!canWrite)
    return (
      <Empty title={text.noneTitle}>
        <p>
          {text.noneHint} “{permissionText(WRITE)}”.
        </p>
      </Empty>
    );
  return <Connect app={slack.app} onConnected={onConnected} />;
}

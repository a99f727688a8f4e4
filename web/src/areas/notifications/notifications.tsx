/** How a person is notified. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Panel } from '../../shared/design/panel.tsx';
import { Result } from '../../shared/design/result.tsx';
import { Toggle } from '../../shared/design/toggle.tsx';
import { useTitle } from '../../shared/page/title.ts';
import { accountQuery, signInOptionsQuery } from '../../shared/session/session.ts';
import { Failed, Loading } from '../../shared/page/states.tsx';
import { notifications as text } from './text.ts';
import {
  settingsQuery,
  slackQuery,
  useSettingChange,
  type NotificationSettings,
  type OwnSlack,
} from './notifications-data.ts';
import { PersonalSteps } from './personal-steps.tsx';
import { PushDevices } from './push-devices.tsx';
import { SlackLink } from './slack-link.tsx';
import classes from './notifications.module.css';
import { Page } from '../../shared/page/page.tsx';
import { TroubledChannels } from '../../shared/notifications/troubled-channels.tsx';

export function Notifications() {
  useTitle(text.title);
  const settings = useQuery(settingsQuery);
  const slack = useQuery(slackQuery);
  if (settings.isPending || slack.isPending) return <Loading />;
  if (settings.isError)
    return <Failed error={settings.error} reset={() => void settings.refetch()} />;
  if (slack.isError) return <Failed error={slack.error} reset={() => void slack.refetch()} />;
  return (
    <Page title={text.title}>
      <Channels settings={settings.data} slack={slack.data} />
      <PersonalSteps settings={settings.data} />
      <SlackLink slack={slack.data} />
      <PushDevices />
    </Page>
  );
}

function Channels({
  settings,
  slack,
}: {
  readonly settings: NotificationSettings;
  readonly slack: OwnSlack;
}) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: options } = useQuery(signInOptionsQuery);
  // Passwords are reset by email wherever the service sends any.
  const hasEmail = options?.password_reset !== false;
  const change = useSettingChange();
  return (
    <Panel title={text.channelsTitle} hint={text.channelsHint}>
      <div className={classes['channels']}>
        <Toggle
          label={text.channels.email}
          description={
            hasEmail ? (
              <>
                {text.emailTo} <bdi>{account.user.email}</bdi>
              </>
            ) : (
              text.noEmail
            )
          }
          isOn={settings.email && hasEmail}
          isDisabled={!hasEmail}
          onChange={(email) => {
            change.mutate({ email });
          }}
        />
        <Toggle
          label={text.channels.slack}
          description={slackState(slack)}
          isOn={settings.slack}
          onChange={(isOn) => {
            change.mutate({ slack: isOn });
          }}
        />
        <Toggle
          label={text.channels.push}
          description={text.pushDevices}
          isOn={settings.push}
          onChange={(push) => {
            change.mutate({ push });
          }}
        />
      </div>
      <TroubledChannels channels={settings.troubled_channels} />
      <Result text={change.isSuccess ? text.saved : ''} error={change.error} />
    </Panel>
  );
}

function slackState({ team_name: team, slack_user_id: user }: OwnSlack): string {
  if (team === null) return text.slackNotConnected;
  return user === null ? text.slackUnlinked : text.slackLinked;
}

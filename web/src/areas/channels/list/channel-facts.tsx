/** Who gets what over a channel, and what became of its latest messages. */
import { Link } from '@tanstack/react-router';
import { Instant } from '../../../shared/design/instant.tsx';
import note from '../../../shared/design/note.module.css';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { TroubledChannels } from '../../../shared/notifications/troubled-channels.tsx';
import type { ChannelState } from '../channel-state.ts';
import type { Channel, Readiness } from '../channels-data.ts';
import { TroubleNote } from '../trouble-note.tsx';
import { channels as text } from '../text.ts';
import { troubleOfError } from '../trouble.ts';
import classes from './channels.module.css';

export function ChannelFacts({ channel, state }: FactsProps) {
  const { kind, url, include_arguments: withArguments } = channel;
  return (
    <>
      <p>
        {text.who[kind]}
        {kind === 'webhook' &&
          ` ${withArguments === true ? text.withArguments : text.withoutArguments}`}
      </p>
      {url !== undefined && <WebhookFacts channel={channel} />}
      <Recent channel={channel} state={state} />
      <TroubledChannels
        channels={channel.troubled_members.map(({ display_name: name, ...trouble }) => ({
          name,
          ...trouble,
        }))}
      />
    </>
  );
}

interface FactsProps {
  readonly channel: Channel;
  readonly state: ChannelState;
}

function WebhookFacts({ channel }: { readonly channel: Channel }) {
  const { url = '', secret_rotated_at: since, previous_secret_expires_at: until } = channel;
  return (
    <Facts>
      <Fact label={text.url}>
        <code>
          <ForeignText text={url} isName />
        </code>
      </Fact>
      {since !== undefined && (
        <Fact label={text.secretSince}>
          <Instant at={since} as="clock" focusable={false} />
          {until !== undefined && (
            <>
              {'. '}
              {text.previousUntil} <Instant at={until} as="clock" focusable={false} />.
            </>
          )}
        </Fact>
      )}
    </Facts>
  );
}

/** A failure that still counts is told at once, an older one is only counted. */
export function Recent({ channel, state }: FactsProps) {
  const { id, kind, name, recent_messages: recent } = channel;
  const { last_error: error } = recent;
  const isTrouble = state === 'failing' || state === 'retrying';
  return (
    <>
      <p className={classes['soft']}>
        {text.recent(recent)}{' '}
        <Link
          to="/settings/deliveries"
          search={{ channel: id }}
          aria-label={text.deliveriesOf(name)}
        >
          {text.deliveries}
        </Link>
      </p>
      {isTrouble && error !== undefined && (
        <div className={state === 'failing' ? note['problem'] : note['warning']}>
          <TroubleNote trouble={troubleOfError(kind, error)} said={error} label={text.recorded} />
        </div>
      )}
    </>
  );
}

/** The variables that turn a kind on. Their names are ours. */
export function NotSetUp({ variables }: Pick<Readiness, 'variables'>) {
  return (
    <p className={note['warning']}>
      {text.not_set_up}{' '}
      {variables.map((name, index) => (
        <span key={name}>
          {index > 0 && ` ${text.and} `}
          <code>{name}</code>
        </span>
      ))}
      .
    </p>
  );
}

/** A kind without a channel: what brings one. */
export function AbsentKind({ readiness }: { readonly readiness: Readiness }) {
  const { kind, configured, variables } = readiness;
  if (kind !== 'slack' && kind !== 'push') return null;
  return (
    <li className={classes['channel']}>
      <div className={classes['head']}>
        <h2>{text.kinds[kind]}</h2>
      </div>
      <p>{text.who[kind]}</p>
      {configured ? (
        <p className={classes['soft']}>
          {text.absent[kind]}{' '}
          {kind === 'push' ? (
            <Link to="/account/notifications">{text.addBrowser}</Link>
          ) : (
            <Link to="/settings/slack">{text.connectSlack}</Link>
          )}
        </p>
      ) : (
        <NotSetUp variables={variables} />
      )}
    </li>
  );
}

/** The link between a person and their Slack user. */
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { CopyButton } from '../../shared/design/buttons/copy-button.tsx';
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { Result } from '../../shared/design/result.tsx';
import { Instant } from '../../shared/design/instant.tsx';
import { useNowSeconds } from '../../shared/api/clock.ts';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { notifications as text } from './text.ts';
import {
  beginSlackLink,
  removeSlackLink,
  slackPoll,
  slackQuery,
  type OwnSlack,
} from './notifications-data.ts';
import classes from './notifications.module.css';

type Code = Awaited<ReturnType<typeof beginSlackLink>>;

export function SlackLink({ slack }: { readonly slack: OwnSlack }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const canConnect = hasPermission(account, 'connection.write');
  if (slack.team_name !== null) return <OwnLink slack={slack} />;
  return (
    <Panel title={text.slackTitle}>
      <p>
        {text.slackNone} {canConnect && <Link to="/settings/slack">{text.connectSlack}</Link>}
      </p>
    </Panel>
  );
}

function OwnLink({ slack }: { readonly slack: OwnSlack }) {
  const queries = useQueryClient();
  const result = useRef<HTMLParagraphElement>(null);
  const [code, setCode] = useState<Code>();
  const [said, setSaid] = useState('');
  const say = (next: string) => {
    setSaid(next);
    setCode(undefined);
    result.current?.focus();
  };
  const begin = useSensitiveMutation({
    mutationFn: beginSlackLink,
    onSuccess: (begun) => {
      setSaid('');
      setCode(begun);
    },
  });
  const unlink = useMutation({
    mutationFn: removeSlackLink,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: slackQuery.queryKey });
      say(text.unlinked);
    },
  });
  const isLinked = slack.slack_user_id !== null;
  return (
    <Panel title={text.slackTitle} hint={isLinked ? undefined : text.slackIntro}>
      <Result ref={result} text={said} error={begin.error ?? unlink.error} />
      <LinkFacts slack={slack} />
      {code && (
        <Command
          code={code}
          before={slack}
          onEnd={say}
          onCancel={() => {
            setCode(undefined);
          }}
        />
      )}
      {!code && (
        <Actions
          isLinked={isLinked}
          isLinking={begin.isPending}
          isUnlinking={unlink.isPending}
          onLink={() => {
            unlink.reset();
            begin.mutate();
          }}
          onUnlink={() => {
            begin.reset();
            unlink.mutate();
          }}
        />
      )}
    </Panel>
  );
}

interface ActionsProps {
  readonly isLinked: boolean;
  readonly isLinking: boolean;
  readonly isUnlinking: boolean;
  readonly onLink: () => void;
  readonly onUnlink: () => void;
}

function Actions({ isLinked, isLinking, isUnlinking, onLink, onUnlink }: ActionsProps) {
  const label = isLinked ? text.linkAgain : text.link;
  return (
    <div className={classes['actions']}>
      <Button
        isSecondary={isLinked}
        aria-disabled={isLinking}
        onClick={isLinking ? undefined : onLink}
      >
        {isLinking ? text.linking : label}
      </Button>
      {isLinked && (
        <Button
          isSecondary
          aria-disabled={isUnlinking}
          onClick={isUnlinking ? undefined : onUnlink}
        >
          {isUnlinking ? text.unlinking : text.unlink}
        </Button>
      )}
    </div>
  );
}

function LinkFacts({ slack }: { readonly slack: OwnSlack }) {
  return (
    <Facts>
      <Fact label={text.slackWorkspace}>
        <bdi>{slack.team_name}</bdi>
      </Fact>
      {slack.slack_user_id !== null && (
        <Fact label={text.slackUser}>
          <bdi>{slack.slack_user_id}</bdi>
        </Fact>
      )}
      {slack.linked_at !== null && (
        <Fact label={text.linkedSince}>
          <Instant at={slack.linked_at} as="clock" />
        </Fact>
      )}
    </Facts>
  );
}

const GRACE_SECONDS = 5;

/** The command to send, until Slack brought it. */
function Command({
  code,
  before,
  onEnd,
  onCancel,
}: {
  readonly code: Code;
  readonly before: OwnSlack;
  /** Says how it ended. */
  readonly onEnd: (said: string) => void;
  readonly onCancel: () => void;
}) {
  const intro = useRef<HTMLParagraphElement>(null);
  const [{ linked_at: linkedBefore }] = useState(before);
  const { data: now } = useQuery(slackPoll);
  const isLinked = now !== undefined && now.linked_at !== linkedBefore;
  // A little later: Slack may have taken it at the last moment.
  const isExpired = useNowSeconds() > Date.parse(code.expires_at) / 1_000 + GRACE_SECONDS;
  useEffect(() => {
    intro.current?.focus();
  }, []);
  useEffect(() => {
    if (isLinked) onEnd(text.linked);
    else if (isExpired) onEnd(text.commandExpired);
  }, [isLinked, isExpired, onEnd]);
  return (
    <div className={classes['command']}>
      <p ref={intro} tabIndex={-1}>
        {text.typeCommand}
      </p>
      <code>{code.command}</code>
      <div className={classes['actions']}>
        <CopyButton label={text.copyCommand} value={code.command} />
        <Button isSecondary onClick={onCancel}>
          {text.cancel}
        </Button>
      </div>
      <p className={classes['hint']}>
        {text.commandUntil} <Instant at={code.expires_at} as="clock" />. {text.waiting}
      </p>
    </div>
  );
}

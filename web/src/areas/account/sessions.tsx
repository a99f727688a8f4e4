/** A person's sign-ins, and the ways to end them. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { useTitle } from '../../shared/page/title.ts';
import { PagedList } from '../../shared/page/list/paged-list.tsx';
import { account as text } from '../../shared/text/account.ts';
import { endOtherSessions, endSession, sessionsQuery, type Session } from './account-data.ts';
import { Item, Items } from '../../shared/design/lists/items.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { Result } from '../../shared/design/result.tsx';
import { Instant } from '../../shared/design/instant.tsx';
import { deviceText } from '../../shared/text/user-agents.ts';
import classes from './sessions.module.css';
import { Page } from '../../shared/page/page.tsx';

export function Sessions() {
  useTitle(text.sessions);
  const sessions = useInfiniteQuery(sessionsQuery);
  return (
    <Page title={text.sessions}>
      <Panel title={text.sessionsTitle} hint={text.sessionsHint}>
        {/* The reader's own session is always there. */}
        <PagedList list={sessions} rowsOf={(page) => page.sessions} none={null}>
          {(rows) => <SessionList sessions={rows} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

function SessionList({ sessions }: { readonly sessions: readonly Session[] }) {
  const queries = useQueryClient();
  const heading = useRef<HTMLParagraphElement>(null);
  const [result, setResult] = useState('');
  const done = async (said: string) => {
    setResult(said);
    // The button is gone with its session: the focus goes to what says so.
    heading.current?.focus();
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const endOne = useMutation({
    mutationFn: endSession,
    onSuccess: async (_, session) => {
      await done(text.sessionEnded(deviceText(session.user_agent)));
    },
  });
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: async () => {
      await done(text.othersEnded);
    },
  });
  const others = sessions.filter(({ current }) => !current);
  return (
    <>
      <Result ref={heading} text={result} error={endOne.error ?? endOthers.error} />
      <Items>
        {sessions
          .filter(({ current }) => current)
          .concat(others)
          .map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              isEnding={endOne.isPending && endOne.variables.id === session.id}
              onEnd={() => {
                endOthers.reset();
                endOne.mutate(session);
              }}
            />
          ))}
      </Items>
      {others.length === 0 ? (
        <p className={classes['none']}>{text.noOthers}</p>
      ) : (
        <Button
          isSecondary
          className={classes['all'] ?? ''}
          disabled={endOthers.isPending}
          aria-busy={endOthers.isPending}
          onClick={() => {
            endOne.reset();
            endOthers.mutate();
          }}
        >
          {text.endOthers}
        </Button>
      )}
    </>
  );
}

function SessionRow({
  session,
  isEnding,
  onEnd,
}: {
  readonly session: Session;
  readonly isEnding: boolean;
  readonly onEnd: () => void;
}) {
  const device = deviceText(session.user_agent);
  const method = Object.hasOwn(text.methods, session.method)
    ? text.methods[session.method]
    : session.method;
  return (
    <Item
      name={device}
      title={session.user_agent ?? undefined}
      current={session.current ? text.thisSession : undefined}
      actions={
        session.current ? undefined : (
          <Button
            isSecondary
            isSmall
            aria-label={text.endSessionOf(device)}
            disabled={isEnding}
            onClick={onEnd}
          >
            {isEnding ? text.ending : text.endSession}
          </Button>
        )
      }
    >
      <p>
        {method}
        {session.client_address !== null && (
          <>
            {' '}
            {text.from} <bdi>{session.client_address}</bdi>
          </>
        )}
      </p>
      <p>
        {text.lastUsed} <Instant at={session.last_seen_at} as="ago" /> · {text.signedIn}{' '}
        <Instant at={session.created_at} as="clock" /> · {text.ends}{' '}
        <Instant at={session.expires_at} as="clock" />
      </p>
    </Item>
  );
}
